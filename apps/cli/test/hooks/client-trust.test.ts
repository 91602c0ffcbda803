import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HookClient } from '../../src/hooks/hook/events.ts';
import { isFolderTrusted } from '../../src/hooks/hooks-config.ts';

const cwd = '/srv/project';

function ask(client: HookClient, file: string, text: string): boolean | undefined {
  const home = mkdtempSync(join(tmpdir(), 'workflowlookup-trust-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), text);
  return isFolderTrusted(client, { cwd, home, env: {} });
}

test.each([
  [{ [cwd]: { hasTrustDialogAccepted: true } }, true],
  [{ '/srv': { hasTrustDialogAccepted: true } }, true],
  [{ [cwd]: { hasTrustDialogAccepted: false } }, false],
  [{ '/srv/other': { hasTrustDialogAccepted: true } }, false],
])('Claude Code with the projects %j trusts the folder: %s', (projects, is) => {
  expect(ask('claude-code', '.claude.json', JSON.stringify({ projects }))).toBe(is);
});

test('Claude Code that was never started in a folder does not trust it', () => {
  expect(ask('claude-code', '.claude.json', '{}')).toBe(false);
});

test.each([
  [{ [cwd]: 'TRUST_FOLDER' }, true],
  [{ '/srv': 'TRUST_FOLDER' }, true],
  [{ '/srv/other': 'TRUST_PARENT' }, true],
  [{ [cwd]: 'DO_NOT_TRUST', '/srv': 'TRUST_FOLDER' }, false],
  [{ '/home': 'TRUST_FOLDER' }, false],
])('Gemini CLI with the folders %j trusts the folder: %s', (folders, is) => {
  expect(ask('gemini', '.gemini/trustedFolders.json', JSON.stringify(folders))).toBe(is);
});

test('Codex only says that a folder is not trusted, because it also asks for each hook', () => {
  const trusted = `[projects."${cwd}"]\ntrust_level = "trusted"\n`;
  expect(ask('codex', '.codex/config.toml', trusted)).toBeUndefined();
  expect(ask('codex', '.codex/config.toml', trusted.replace('"trusted"', '"untrusted"'))).toBe(false);
  expect(ask('codex', '.codex/config.toml', `${trusted.replace(cwd, '/other')}\n[tui]\n`)).toBe(false);
});

test('The trust is unknown for a client that does not store it, or with a broken file', () => {
  expect(ask('cursor', 'x', '')).toBeUndefined();
  expect(ask('gemini', '.gemini/trustedFolders.json', '{')).toBeUndefined();
  expect(ask('claude-code', '.claude.json', '{')).toBeUndefined();
  expect(ask('claude-code', 'x', '')).toBeUndefined();
});
