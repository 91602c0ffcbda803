import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import GithubSlugger from 'github-slugger';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { toString as textIn } from 'mdast-util-to-string';
import { visit } from 'unist-util-visit';

/** The folder of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

const leftOut = new Set(['node_modules', 'dist', 'coverage', '.git', '.turbo', '.changeset', 'api']);

/** A fenced block of a document. */
export interface Block {
  /** The document, relative to the repository. */
  readonly file: string;
  /** The text after the fence, such as `yaml workflow`. */
  readonly info: string;
  readonly text: string;
}

/** A link of a document that leads to a file of the repository or a heading of one. */
export interface Link {
  readonly file: string;
  /** As it is written. */
  readonly target: string;
}

/** A line that a reader is to type. */
export interface Command {
  readonly file: string;
  /** As a shell is given it, without comments. */
  readonly line: string;
  /** The line in words. */
  readonly words: readonly string[];
}

/** Every Markdown document of the repository. */
function documents(): readonly string[] {
  return filesBelow('').filter((path) => path.endsWith('.md'));
}

/** Every source file of the packages and apps, relative to the repository. */
export function sources(): readonly string[] {
  return ['packages', 'apps'].flatMap(filesBelow).filter((path) => /\/src\/.*\.ts$/.test(path));
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

type Tree = ReturnType<typeof fromMarkdown>;

const trees = new Map<string, Tree>();

function treeOf(file: string): Tree {
  const tree = trees.get(file) ?? fromMarkdown(textOf(file));
  trees.set(file, tree);
  return tree;
}

/** The fenced blocks of every document. */
export function blocks(): readonly Block[] {
  const found: Block[] = [];
  for (const file of documents())
    visit(treeOf(file), 'code', ({ lang, meta, value }) => {
      found.push({ file, info: [lang, meta].filter(Boolean).join(' '), text: `${value}\n` });
    });
  return found;
}

/** The links of every document that do not leave the repository. */
export function links(): readonly Link[] {
  const found: Link[] = [];
  for (const file of documents())
    visit(treeOf(file), (node) => {
      if (!('url' in node) || /^(https?|mailto):/.test(node.url)) return;
      found.push({ file, target: node.url });
    });
  return found;
}

/** The commands in the fenced blocks of every document that are for a shell. */
export function commands(): readonly Command[] {
  return blocks()
    .filter(({ info }) => info === 'sh')
    .flatMap(({ file, text }) => text.split('\n').map((line) => commandIn(file, line)))
    .filter(({ line }) => line !== '');
}

/** What documents name in their sentences as code, as if each were a command. */
export function mentions(): readonly Command[] {
  const found: Command[] = [];
  for (const file of documents())
    visit(treeOf(file), 'inlineCode', ({ value }) => void found.push(commandIn(file, value)));
  return found;
}

/** Returns what follows one of several prefixes, for the commands with such a prefix. */
export function argumentsAfter(
  ...beginnings: readonly (readonly string[])[]
): readonly { readonly file: string; readonly line: string; readonly args: readonly string[] }[] {
  return commands().flatMap(({ file, line, words }) => {
    const begun = beginnings.find((one) => one.every((word, at) => words[at] === word));
    return begun === undefined ? [] : { file, line, args: words.slice(begun.length) };
  });
}

/** Cuts a line into words as a shell does, as far as documents need it. */
function commandIn(file: string, text: string): Command {
  const line = text.replace(/(^| +)(#| > ).*$/, '').trim();
  const words = [...line.matchAll(/'([^']*)'|([^\s']+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return { file, line, words };
}

/** The anchors of a document, as GitHub makes them. */
export function anchorsOf(file: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  visit(treeOf(file), 'heading', (heading) => void anchors.add(slugger.slug(textIn(heading))));
  return anchors;
}
