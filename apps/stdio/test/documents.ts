import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const repository = fileURLToPath(new URL('../../..', import.meta.url));

const leftOut = new Set(['node_modules', 'dist', 'coverage', '.git', '.turbo', '.changeset', 'api']);

/** A fenced block of a document. */
export interface Block {
  /** The document, relative to the repository. */
  readonly file: string;
  /** What stands behind the fence, such as `yaml workflow`. */
  readonly info: string;
  readonly text: string;
}

/** Every Markdown document of the repository, relative to it. */
export function documents(): readonly string[] {
  return filesBelow('').filter((path) => path.endsWith('.md'));
}

/** Every source file of the packages, relative to the repository. */
export function sources(): readonly string[] {
  return filesBelow('packages').filter((path) => /\/src\/.*\.ts$/.test(path));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return leftOut.has(entry.name) ? [] : filesBelow(path);
  });
}

/** The text of a document. */
export function textOf(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}

/** The fenced blocks of every document. */
export function blocks(): readonly Block[] {
  return documents().flatMap((file) =>
    [...textOf(file).matchAll(/^```([^\n`]+)\n(.*?)^```$/gms)].map(([, info = '', text = '']) => ({
      file,
      info: info.trim(),
      text,
    })),
  );
}

/** The anchors of a document, as a reader on the web finds them. */
export function anchorsOf(file: string): ReadonlySet<string> {
  const headings = textOf(file).matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
