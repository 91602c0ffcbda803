/** A file that an index of git knows. */
interface IndexEntry {
  /** When git last looked at it, the file system had last noticed a change then: whole seconds since 1970. */
  readonly changedS: number;
  /** As git writes it. */
  readonly mode: string;
  readonly id: string;
  /** Each byte as one character. */
  readonly path: string;
}

/**
 * Reads the entries of an index, as https://git-scm.com/docs/index-format describes them. Git shows their times only in a
 * format for people that may change.
 *
 * @param idBytes the length of the names of objects
 * @throws Error for versions that git does not write without being told to
 */
export function* readIndex(bytes: Buffer, idBytes: number): Generator<IndexEntry> {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || bytes.readUInt32BE(4) > 3)
    throw new Error('unknown index format');
  const count = bytes.readUInt32BE(8);
  let start = 12;
  for (let nth = 0; nth < count; nth += 1) {
    const idAt = start + 40;
    const flagsAt = idAt + idBytes;
    const isExtended = (bytes.readUInt16BE(flagsAt) & 0x4000) !== 0;
    const pathAt = flagsAt + (isExtended ? 4 : 2);
    const end = bytes.indexOf(0, pathAt);
    yield {
      changedS: bytes.readUInt32BE(start),
      mode: bytes.readUInt32BE(start + 24).toString(8),
      id: bytes.toString('hex', idAt, flagsAt),
      path: bytes.toString('latin1', pathAt, end),
    };
    // Entries are filled up with one to eight zeros.
    start += (end - start + 8) & ~7;
  }
}
