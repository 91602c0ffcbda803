import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Checks, Folder } from '@workflowlookup/schema';
import { canonicalJson, digestOf, isJsonObject, readChecks } from '@workflowlookup/schema';
import type { ProposedCheck } from './propose-checks.ts';

/** Path of the file of checks, from the folder of a project. */
export const checksFile = '.workflowlookup/checks.yaml';

const maxBytes = 1024 * 1024;

/** The checks of a project, as they are now. */
export interface ProjectChecks {
  /** Real path of the file. */
  readonly path: string;
  /** The text of the file, and of everything that it names under `also_trust`. */
  readonly texts: Folder;
  /** Over the texts. A person trusts exactly this. */
  readonly digest: string;
  /** Absent if the file has an error. */
  readonly checks?: Checks;
  /** What is wrong with the file, the first problem. */
  readonly problem?: string;
}

/** Reads the checks of a project; `undefined` if it has no such file. */
export async function readProjectChecks(folder: string): Promise<ProjectChecks | undefined> {
  const path = await checksPathOf(folder);
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const { value, issues } = await readingOf(text);
  const texts = new Map([[checksFile, text]]);
  if (value !== undefined) {
    const specs = Object.values(value.checks).flatMap(({ also_trust: more = [] }) => more);
    for (const spec of new Set(specs)) texts.set(spec, await contentOf(folder, spec));
  }
  const [issue] = issues.filter(({ severity }) => severity === 'error');
  return {
    path,
    texts,
    digest: digestOfChecks(texts),
    ...(value === undefined ? {} : { checks: value }),
    ...(issue === undefined ? {} : { problem: `line ${issue.line}: ${issue.message}` }),
  };
}

let last: { readonly text: string; readonly reading: ReturnType<typeof readChecks> } | undefined;

/** Parses a text, unless it is the one that was parsed last: each look at a folder reads its checks. */
function readingOf(text: string): ReturnType<typeof readChecks> {
  if (last?.text !== text) last = { text, reading: readChecks(text) };
  return last.reading;
}

/** Real path of the file of checks of a folder, whether or not it exists. */
export async function checksPathOf(folder: string): Promise<string> {
  return join(await realpath(folder).catch(() => folder), checksFile);
}

/** The digest of what a person trusts with a file of checks. */
export function digestOfChecks(texts: Folder): string {
  return digestOf({ checks: Object.fromEntries(texts) });
}

/** The names of the checks in a text that was trusted. */
export async function namesIn(texts: Folder | undefined): Promise<readonly string[]> {
  const text = texts?.get(checksFile);
  if (text === undefined) return [];
  return Object.keys((await readChecks(text)).value?.checks ?? {});
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > maxBytes) return found.isFile() ? '' : undefined;
    return await readFile(path, 'utf8');
  } catch {
    // There is no such file, or it can't be read.
    return undefined;
  }
}

/** The text of a file; of a large one, or one that is no text, its digest. */
async function wholeText(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    if (bytes.length <= maxBytes && isUtf8(bytes)) return bytes.toString('utf8');
    return `(${bytes.length} bytes, sha256:${createHash('sha256').update(bytes).digest('hex')})`;
  } catch {
    // There is no such file, or it can't be read.
    return undefined;
  }
}

/** The content that `FILE` or `FILE#/pointer` names; a text that says so if there is none. */
async function contentOf(folder: string, spec: string): Promise<string> {
  const [file = '', pointer] = spec.split('#', 2);
  const path = await realpath(join(folder, file)).catch(() => undefined);
  const root = await realpath(folder);
  if (path === undefined || !path.startsWith(root + sep)) return '(no such file)';
  const text = (await wholeText(path)) ?? '(no such file)';
  if (pointer === undefined) return text;
  try {
    const value = valueAt(JSON.parse(text), pointer);
    return value === undefined ? '(no such value)' : canonicalJson(value);
  } catch {
    // It is not JSON, so all of it counts.
    return text;
  }
}

function valueAt(document: unknown, pointer: string): unknown {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  let value = document;
  for (const key of keys) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

const head = `# The commands that prove that a step of a workflow was done. A person has to trust this file before a server runs them:
# workflowlookup checks trust
checks:
`;

/** Writes a file of checks. JSON is YAML, so each value is written as JSON. */
export function checksText(proposed: readonly ProposedCheck[]): string {
  if (proposed.length === 0) return `${head.trimEnd()} {}\n`;
  return (
    head +
    proposed
      .map(({ name, check }) => {
        const fields = Object.entries(check).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`);
        return `  ${name}:\n${fields.join('')}`;
      })
      .join('')
  );
}
