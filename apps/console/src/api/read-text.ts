/** The parameters of an address that have a text; what has none is left out. */
export function readText<Name extends string>(
  search: Readonly<Partial<Record<Name, unknown>>>,
): { readonly [Key in Name]?: string } {
  const given = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '');
  return Object.fromEntries(given) as { readonly [Key in Name]?: string };
}
