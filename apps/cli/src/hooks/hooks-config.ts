import { readFileSync } from 'node:fs';
import { posix, win32, dirname, join } from 'node:path';
import { WorkflowError, isJsonObject } from '@workflowlookup/schema';
import type { JSONPath, ModificationOptions, ParseError } from 'jsonc-parser';
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  parse,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import type { ConfigText, Machine } from '../connect/config-file.ts';
import { lineEnd, problemAt, readConfig } from '../connect/config-file.ts';
import type { HookClient } from '../hook/events.ts';
import { messages } from '../messages.ts';
import type { HookScope } from './client-hooks.ts';
import { clientHooks } from './client-hooks.ts';

/** @throws WorkflowError INVALID_INPUT if the client has no such file */
export function hooksFileOf(id: HookClient, scope: HookScope, { platform, home, cwd, env }: Machine): string {
  const paths = platform === 'win32' ? win32 : posix;
  const { title, project, user, homeVariable = '' } = clientHooks[id];
  if (scope === 'project') return paths.join(cwd, ...project);
  if (user === undefined) throw new WorkflowError('INVALID_INPUT', messages.hooks.noUserFile(title));
  const folder = env[homeVariable] || undefined;
  return folder === undefined ? paths.join(home, ...user) : paths.join(folder, ...user.slice(1));
}

/** Returns whether a command line runs our hook, whichever installation of this program it names. */
export function isOwnCommand(command: unknown): boolean {
  return (
    typeof command === 'string' &&
    /(^|[\s/\\"'])(?:workflowlookup|main\.js)["']?\s+hook\s+--client\s/.test(command)
  );
}

/** Returns whether an entry of a list of hooks is ours: a command, or a group of commands. */
function isOwnEntry(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false;
  const { command, hooks } = entry;
  return isOwnCommand(command) || (Array.isArray(hooks) && hooks.some(isOwnEntry));
}

type Hooks = Readonly<Record<string, unknown>>;

/**
 * Returns a file with our hooks in it, in place of those that are there. Comments and other hooks stay.
 *
 * @throws WorkflowError INVALID_FILE
 */
export function withHooks(config: ConfigText, id: HookClient, command: string): string {
  const { format } = clientHooks[id];
  if (format.kind === 'file') return config.text;
  const entries = format.entries(command);
  if (config.text.trim() === '') {
    const hooks = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, [entry]]));
    return `${JSON.stringify({ ...format.head, hooks }, undefined, 2)}\n`;
  }
  const obsolete = installedEvents(config).filter((name) => !(name in entries));
  let text = obsolete.reduce((rest, name) => withoutOwn({ ...config, text: rest }, name), config.text);
  for (const [key, value] of Object.entries(format.head ?? {}))
    if (readHooks({ ...config, text }).root[key] === undefined) text = edit(text, [key], value);
  for (const [name, entry] of Object.entries(entries)) {
    const { hooks } = readHooks({ ...config, text });
    const list = hooks[name];
    const at = Array.isArray(list) ? list.findIndex(isOwnEntry) : -1;
    if (list === undefined) text = edit(text, ['hooks', name], [entry]);
    else if (!Array.isArray(list)) throw problemAt(config, 0, messages.connect.notArray(`hooks.${name}`));
    else if (at < 0) text = edit(text, ['hooks', name, list.length], entry, true);
    else if (JSON.stringify(list[at]) !== JSON.stringify(entry))
      text = edit(text, ['hooks', name, at], entry);
  }
  return text;
}

/**
 * Returns a file without our hooks. Comments and other hooks stay.
 *
 * @throws WorkflowError INVALID_FILE
 */
export function withoutHooks(config: ConfigText): string {
  let { text } = config;
  if (text.trim() === '') return text;
  for (const name of Object.keys(readHooks(config).hooks)) text = withoutOwn({ ...config, text }, name);
  const { hooks } = readHooks({ ...config, text });
  const isEmptied = Object.keys(hooks).length === 0 && Object.keys(readHooks(config).hooks).length > 0;
  return isEmptied ? edit(text, ['hooks'], undefined) : text;
}

/** Returns whether a file has nothing but what `withHooks` adds besides the hooks, so that it is not needed any more. */
export function isLeftEmpty(config: ConfigText, id: HookClient): boolean {
  const { format } = clientHooks[id];
  if (format.kind === 'file') return config.text === '';
  const hasComment = /\/[/*]/.test(config.text);
  const { root } = readHooks(config);
  return !hasComment && Object.entries(root).every(([key, value]) => format.head?.[key] === value);
}

/** Returns a file without our hooks for one event. */
function withoutOwn(config: ConfigText, name: string): string {
  let { text } = config;
  for (;;) {
    const list = readHooks({ ...config, text }).hooks[name];
    const at = Array.isArray(list) ? list.findIndex(isOwnEntry) : -1;
    if (!Array.isArray(list) || at < 0) return text;
    text =
      list.length === 1 ? edit(text, ['hooks', name], undefined) : withoutElement(text, ['hooks', name], at);
  }
}

/** Returns the events for which a file has our hook. @throws WorkflowError INVALID_FILE */
export function installedEvents(config: ConfigText): readonly string[] {
  if (config.text.trim() === '') return [];
  const lists = Object.entries(readHooks(config).hooks);
  return lists.flatMap(([name, list]) => (Array.isArray(list) && list.some(isOwnEntry) ? [name] : []));
}

/** Returns whether a client has our hooks, in the project or for the user. */
export async function hasHooks(id: HookClient, machine: Machine): Promise<boolean> {
  const { format, user } = clientHooks[id];
  const scopes: readonly HookScope[] = user === undefined ? ['project'] : ['project', 'user'];
  const found = await Promise.all(
    scopes.map(async (scope) => {
      const config = await readConfig(hooksFileOf(id, scope, machine));
      return config !== undefined && (format.kind === 'file' || installedEvents(config).length > 0);
    }),
  ).catch((): readonly boolean[] => []);
  return found.includes(true);
}

function readHooks(config: ConfigText): { readonly root: Hooks; readonly hooks: Hooks } {
  const errors: ParseError[] = [];
  const root: unknown = parse(config.text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const found = printParseErrorCode(first.error)
      .replaceAll(/\B[A-Z]/g, ' $&')
      .toLowerCase();
    throw problemAt(config, first.offset, messages.connect.notJson(found));
  }
  if (!isJsonObject(root)) throw problemAt(config, 0, messages.connect.notObject('the file'));
  const { hooks = {} } = root;
  if (!isJsonObject(hooks)) throw problemAt(config, 0, messages.connect.notObject("'hooks'"));
  return { root, hooks };
}

/** Removes an element of an array that has others, with one comma. Comments beside the other elements stay. */
function withoutElement(text: string, path: JSONPath, at: number): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const elements = (root && findNodeAtLocation(root, path)?.children) ?? [];
  const [before, node, after] = [elements[at - 1], elements[at], elements[at + 1]];
  if (node === undefined) return text;
  const end = node.offset + node.length;
  const from = before === undefined ? end : before.offset + before.length;
  const to = before === undefined ? (after?.offset ?? end) : node.offset;
  let comma = -1;
  const onSeparator = (character: string, offset: number): void => {
    if (character === ',' && offset >= from && offset < to) comma = offset;
  };
  visit(text, { onSeparator }, { allowTrailingComma: true });
  const start = text.slice(0, node.offset).replace(/\r?\n[ \t]*$/, '').length;
  const cuts = [
    { from: start, to: end },
    { from: comma, to: comma + 1 },
  ].filter((cut) => cut.from >= 0);
  return cuts
    .toSorted((one, other) => other.from - one.from)
    .reduce((rest, cut) => rest.slice(0, cut.from) + rest.slice(cut.to), text);
}

/** Changes a value of a JSON text, or removes it. Every other byte stays, except a comma. */
function edit(text: string, path: JSONPath, value: unknown, isInsertion = false): string {
  const indent = /\n([ \t]+)["/]/.exec(text)?.[1] ?? '  ';
  const options: ModificationOptions = {
    isArrayInsertion: isInsertion,
    formattingOptions: {
      insertSpaces: !indent.startsWith('\t'),
      tabSize: indent.startsWith('\t') ? 1 : indent.length,
      eol: lineEnd(text),
    },
  };
  return applyEdits(text, modify(text, path, value, options));
}

/**
 * Returns whether a client says that its user trusts the working folder, or `undefined` if it does not say. Clients run
 * no hooks of a project in a folder that is not trusted.
 */
export function isFolderTrusted(
  client: HookClient,
  { cwd, home, env }: Pick<Machine, 'cwd' | 'env' | 'home'>,
): boolean | undefined {
  const folders = [cwd, ...parentsOf(cwd)];
  switch (client) {
    case 'claude-code': {
      const config = readJson(join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'));
      if (config === undefined) return undefined;
      // Without the member, its user has trusted no folder yet.
      const { projects = {} } = config;
      if (!isJsonObject(projects)) return undefined;
      return folders.some((folder) => {
        const project = projects[folder];
        return isJsonObject(project) && project['hasTrustDialogAccepted'] === true;
      });
    }
    case 'gemini': {
      const trusted = readJson(join(home, '.gemini', 'trustedFolders.json'));
      if (trusted === undefined) return undefined;
      if (trusted[cwd] === 'DO_NOT_TRUST') return false;
      const wholes = Object.entries(trusted).flatMap(([path, level]) => {
        if (level === 'TRUST_FOLDER') return [path];
        return level === 'TRUST_PARENT' ? [dirname(path)] : [];
      });
      return folders.some((folder) => wholes.includes(folder));
    }
    case 'codex': {
      const text = readText(join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'));
      if (text === undefined) return undefined;
      const tables = text.split(/^(?=\[)/m);
      const isTrusted = folders.some((folder) =>
        tables.some(
          (table) =>
            table.startsWith(`[projects.${JSON.stringify(folder)}]`) &&
            /^trust_level\s*=\s*["']trusted["']/m.test(table),
        ),
      );
      // In a trusted folder, Codex runs only hooks that its user trusts too.
      return isTrusted ? undefined : false;
    }
    default:
      return undefined;
  }
}

function parentsOf(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The client has no such file.
    return undefined;
  }
}

function readJson(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readText(file) ?? '');
    return isJsonObject(value) ? value : undefined;
  } catch {
    // The client has not written it yet, or writes it now.
    return undefined;
  }
}
