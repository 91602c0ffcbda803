/** The code of a system error, such as `ENOENT`; `UNKNOWN` for anything else. */
export function systemCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}
