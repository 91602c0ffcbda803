import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../support/built-app.ts';
import { buildApp, createSandbox, flagsOf, removeApp } from '../support/built-app.ts';
import { openServer } from '../support/server-process.ts';

let entry: string;
let sandbox: Sandbox;

beforeAll(async () => {
  [entry, sandbox] = await Promise.all([buildApp(), createSandbox()]);
}, 60_000);

afterAll(async () => {
  await sandbox.dispose();
  await removeApp(entry);
});

const open = (...more: readonly string[]) =>
  openServer({ entry, args: [...flagsOf(sandbox), ...more], env: { HOME: sandbox.root } });

test('Only JSON-RPC is written to standard output', async () => {
  await sandbox.write('broken.yaml', 'a: [');
  const server = await open();
  await server.request('workflow_list');
  await server.request('tools/list');
  server.write('nonsense\n\n{"jsonrpc":"2.0"}\n');
  server.endInput();
  expect(await server.ended).toBe(0);
  expect(server.lines.length).toBeGreaterThan(4);
  for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});

test('A session is stored in a state directory that only its user can access', async () => {
  const state = join(sandbox.root, 'state');
  const server = await open('--state', state);
  await server.request('start_session', { agent_id: 'a', workflow_id: 'review-flow' });
  server.endInput();
  expect(await server.ended).toBe(0);
  const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
  expect(await modeOf(state)).toBe('700');
  const files = await readdir(state);
  expect(files).toContain('sessions.db');
  const modes = await Promise.all(files.map((file) => modeOf(join(state, file))));
  expect(modes.filter((mode) => !mode.endsWith('00'))).toEqual([]);
});
