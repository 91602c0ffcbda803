import type { Json } from './json.ts';

/** A value as TOON text. The library is loaded with the first one. */
export async function encodeToon(value: Json): Promise<string> {
  const { encode } = await import('./toon-library.ts');
  return encode(value);
}
