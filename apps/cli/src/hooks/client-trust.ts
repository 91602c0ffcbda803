import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '@workflowlookup/schema';
import type { Machine } from '../connect/config-file.ts';
import type { HookClient } from '../hook/events.ts';

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
