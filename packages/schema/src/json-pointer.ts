/** A JSON pointer (RFC 6901) from its parts. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${escapePointer(String(part))}`).join('');
}

/** One part of a JSON pointer, escaped. */
export function escapePointer(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The parts of a JSON pointer. */
export function fromPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
