/** A rule that no tool has: what a file breaks, as lines that say where. */
export type SourceRule = (file: string, text: string) => readonly string[];

/** A catch that binds no error says why the error can be let go, in a comment that opens its block. */
export const catchSaysWhy: SourceRule = (file, text) =>
  placesOf(text, /\bcatch\s*\{(?!\s*(?:\/\/|\/\*))/g).map(
    (line) => `${file}:${line} lets an error go and does not say why`,
  );

/** The lock file holds no host: it means the same behind every mirror. */
export const lockFileNamesNoHost: SourceRule = (file, text) =>
  placesOf(text, /https?:\/\/|tarball:/g).map((line) => `${file}:${line} names a host`);

function placesOf(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map(({ index }) => text.slice(0, index).split('\n').length);
}
