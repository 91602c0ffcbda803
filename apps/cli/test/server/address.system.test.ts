import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { keyMessages } from '../../src/messages/server.ts';
import { eventually } from '../../../stdio/test/support/server-process.ts';
import { jsonOf } from '../support/json-schemas.ts';
import type { TestCli } from '../support/test-cli.ts';
import { buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let cli: TestCli;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

beforeEach(async () => {
  cli = await openTestCli(entry);
});

afterEach(() => cli.dispose());

afterAll(() => removeApp(entry));

test('The command prints the address of the server for agents, and a sign-in address only at a terminal', async () => {
  const server = cli.start(['serve', 'http', '--port', '0', '--no-bundled', '--no-user', '--no-project']);
  const url = await eventually(
    async () => server.out().split('\n', 1)[0] ?? '',
    (line) => line.includes('/mcp'),
  );
  const { port, origin } = new URL(url);
  const piped = await cli.run(['address', '--port', port, '--json']);
  expect(jsonOf('address', piped.out)).toEqual({ agents: url });
  expect(piped).toMatchObject({ code: 0, err: expect.stringContaining(keyMessages.signInNeedsTerminal) });

  const shown = await cli.run(['address', '--port', port], { inTerminal: true });
  const lines = stripVTControlCharacters(shown.out).trim().split(/\r?\n/);
  expect(lines[0]).toBe(url);
  const [page, secret] = (lines[1] ?? '').split('#sign-in=');
  expect(page).toBe(`${origin}/console/`);
  const signIn = (): Promise<Response> =>
    fetch(`${origin}/console/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    });
  expect([(await signIn()).status, (await signIn()).status]).toEqual([200, 401]);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

test('The command creates missing keys, readable only by this user, and a later server has the same address', async () => {
  const { out } = await cli.run(['address']);
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:8420\/mcp\/[\w-]{32}\n$/);
  expect((await stat(join(cli.state, 'keys', 'token-key'))).mode & 0o077).toBe(0);
  expect((await cli.run(['address', '--port', '9000'])).out).toBe(out.replace('8420', '9000'));
  expect((await cli.run(['address', '--port', 'x'])).code).toBe(2);
});
