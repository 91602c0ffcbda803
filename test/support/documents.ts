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

/** A link in a document to a file of the repository, or to a heading in one. */
export interface Link {
  readonly file: string;
  /** The text of the link's target. */
  readonly target: string;
}

/** A command that a document tells its readers to type. */
export interface Command {
  readonly file: string;
  /** The command without comments. */
  readonly line: string;
  /** The command, split into words. */
  readonly words: readonly string[];
}

/** Returns every Markdown document, relative to the repository. */
function documents(): readonly string[] {
  return filesBelow('').filter((path) => path.endsWith('.md'));
}

/** Returns every source file of the packages and apps, relative to the repository. */
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

/** Returns the text of a document. */
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

/** Returns the fenced blocks of these documents, by default of all. */
export function blocks(files = documents()): readonly Block[] {
  const found: Block[] = [];
  for (const file of files)
    visit(treeOf(file), 'code', ({ lang, meta, value }) => {
      found.push({ file, info: [lang, meta].filter(Boolean).join(' '), text: `${value}\n` });
    });
  return found;
}

/** Returns the links in all documents to files of the repository. */
export function links(): readonly Link[] {
  const found: Link[] = [];
  for (const file of documents())
    visit(treeOf(file), (node) => {
      if (!('url' in node) || /^(https?|mailto):/.test(node.url)) return;
      found.push({ file, target: node.url });
    });
  return found;
}

/** Returns the commands in the shell blocks of all documents. */
export function commands(): readonly Command[] {
  return blocks()
    .filter(({ info }) => info === 'sh')
    .flatMap(({ file, text }) => text.split('\n').map((line) => commandIn(file, line)))
    .filter(({ line }) => line !== '');
}

/** Returns all inline code of the documents, each parsed as a command. */
export function mentions(): readonly Command[] {
  const found: Command[] = [];
  for (const file of documents())
    visit(treeOf(file), 'inlineCode', ({ value }) => void found.push(commandIn(file, value)));
  return found;
}

/** Returns the commands that start with one of these prefixes, with the arguments after it. */
export function argumentsAfter(
  ...beginnings: readonly (readonly string[])[]
): readonly { readonly file: string; readonly line: string; readonly args: readonly string[] }[] {
  return commands().flatMap(({ file, line, words }) => {
    const begun = beginnings.find((one) => one.every((word, at) => words[at] === word));
    return begun === undefined ? [] : { file, line, args: words.slice(begun.length) };
  });
}

/** Splits a line into words like a shell. It supports only the syntax that the documents use. */
function commandIn(file: string, text: string): Command {
  const line = text.replace(/(^| +)(#| > ).*$/, '').trim();
  const words = [...line.matchAll(/'([^']*)'|([^\s']+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return { file, line, words };
}

const anchors = new Map<string, ReadonlySet<string>>();

/** Returns the anchors that GitHub gives the headings of a document. */
export function anchorsOf(file: string): ReadonlySet<string> {
  const known = anchors.get(file) ?? findAnchors(file);
  anchors.set(file, known);
  return known;
}

function findAnchors(file: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const found = new Set<string>();
  visit(treeOf(file), 'heading', (heading) => void found.add(slugger.slug(textIn(heading))));
  return found;
}
