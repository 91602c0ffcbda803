import { open } from 'node:fs/promises';

/** The lines of a file. */
export async function* linesOfFile(file: string): AsyncGenerator<string, void> {
  const source = await open(file);
  try {
    yield* source.readLines();
  } finally {
    await source.close();
  }
}
