import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file that many processes add lines to, and none changes. */
export interface LinesFile {
  /** The whole lines; none where there is no file. Throws what the system does. */
  read(): readonly string[];
  /** Adds a line that lasts when this returns. Throws what the system does. */
  append(line: string): void;
}

/** Makes one; nothing is read or written before it is asked for. The file and its folder are their owner's alone. */
export function createLinesFile(path: string): LinesFile {
  let stamp = '';
  let lines: readonly string[] = [];
  return {
    read() {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      const now = found === undefined ? '' : `${found.ino}:${found.mtimeNs}:${found.size}`;
      if (now !== stamp) {
        lines = found === undefined ? [] : linesOf(readFileSync(path, 'utf8'));
        stamp = now;
      }
      return lines;
    },
    append(line) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // The line end before it keeps it whole where a crash cut the line before it short.
      appendFileSync(path, `\n${line}\n`, { mode: 0o600, flush: true });
    },
  };
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
