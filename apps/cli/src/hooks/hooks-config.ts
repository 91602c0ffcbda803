import { readFileSync } from 'node:fs';
import { posix, win32, dirname, join } from 'node:path';
import { WorkflowError, isJsonObject } from '@workflowlookup/schema';
import type { JSONPath } from 'jsonc-parser';
import { findNodeAtLocation, getNodeValue, visit } from 'jsonc-parser';
import type { Machine, Scope } from '../connect/clients.ts';
import type { ConfigText } from '../connect/config-file.ts';
import { problemAt, readConfig, readTree, withElement, withValue } from '../connect/config-file.ts';
import type { HookClient } from './hook/events.ts';
import { connectMessages, hookMessages } from '../messages/clients.ts';
import { clientHooks } from './client-hooks.ts';

/** @throws WorkflowError INVALID_INPUT if the client has no such file */
export function hooksFileOf(id: HookClient, scope: Scope, { platform, home, cwd, env }: Machine): string {
  const paths = platform === 'win32' ? win32 : posix;
  const { title, project, user, homeVariable = '' } = clientHooks[id];
  if (scope === 'project') return paths.join(cwd, ...project);
  if (user === undefined) throw new WorkflowError('INVALID_INPUT', hookMessages.noUserFile(title));
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
    if (readHooks({ ...config, text }).root[key] === undefined)
      text = withValue({ ...config, text }, [key], value);
  for (const [name, entry] of Object.entries(entries)) {
    const now = { ...config, text };
    const list = readHooks(now).hooks[name];
    const at = Array.isArray(list) ? list.findIndex(isOwnEntry) : -1;
    if (list === undefined) text = withValue(now, ['hooks', name], [entry]);
    else if (at < 0) text = withElement(now, ['hooks', name], entry);
    else text = withValue(now, ['hooks', name, at], entry);
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
  return isEmptied ? without({ ...config, text }, ['hooks']) : text;
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
    const now = { ...config, text };
    const list = readHooks(now).hooks[name];
    const at = Array.isArray(list) ? list.findIndex(isOwnEntry) : -1;
    if (!Array.isArray(list) || at < 0) return text;
    text = without(now, list.length === 1 ? ['hooks', name] : ['hooks', name, at]);
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
  const scopes: readonly Scope[] = user === undefined ? ['project'] : ['project', 'user'];
  const found = await Promise.all(
    scopes.map(async (scope) => {
      const config = await readConfig(hooksFileOf(id, scope, machine));
      return config !== undefined && (format.kind === 'file' || installedEvents(config).length > 0);
    }),
  ).catch((): readonly boolean[] => []);
  return found.includes(true);
}

function readHooks(config: ConfigText): { readonly root: Hooks; readonly hooks: Hooks } {
  const root: unknown = getNodeValue(readTree(config));
  if (!isJsonObject(root)) throw problemAt(config, 0, connectMessages.notObject(undefined));
  const { hooks = {} } = root;
  if (!isJsonObject(hooks)) throw problemAt(config, 0, connectMessages.notObject('hooks'));
  return { root, hooks };
}

/** Returns the text without a member or an element, and without one comma beside it. Other comments stay. */
function without({ file, text }: ConfigText, path: JSONPath): string {
  const found = findNodeAtLocation(readTree({ file, text }), path);
  const node = found?.parent?.type === 'property' ? found.parent : found;
  const container = node?.parent;
  if (node === undefined || container === undefined) return text;
  const siblings = container.children ?? [];
  const [before, after] = [siblings[siblings.indexOf(node) - 1], siblings[siblings.indexOf(node) + 1]];
  const end = node.offset + node.length;
  const from = before === undefined ? end : before.offset + before.length;
  const to = before === undefined ? (after?.offset ?? container.offset + container.length) : node.offset;
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
