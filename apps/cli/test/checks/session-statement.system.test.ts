import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Ci } from '../../../../packages/evidence/test/support/ci.ts';
import { makeCi } from '../../../../packages/evidence/test/support/ci.ts';
import { jsonOf } from '../support/json-schemas.ts';
import type { RunningSession, TestCli } from '../support/test-cli.ts';
import { atCheckpoint, buildCli, fetchManifest, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let cli: TestCli;
let signer: Ci;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

beforeEach(async () => {
  cli = await openTestCli(entry);
  signer = makeCi();
});

afterEach(() => cli.dispose());

afterAll(() => removeApp(entry));

/** Starts a session in which a person has answered a checkpoint. */
async function answered(): Promise<RunningSession> {
  const { sid, token } = await atCheckpoint(cli);
  await cli.host.operator.respond(sid, { mode: { kind: 'option', option: 'no' }, note: 'Not today' });
  return { sid, token: (await cli.host.sessions.status(token)).token };
}

async function completed(): Promise<RunningSession> {
  const { sid, token } = await answered();
  const { sessions } = cli.host;
  const resting = await sessions.move(token, { activityId: 'rest', manifest: fetchManifest });
  await sessions.move(resting.token, { manifest: [] });
  return { sid, token };
}

const state = (sid: string, file: string, ...more: readonly string[]) =>
  cli.run(['sessions', 'export', sid, file, '--statement', '--key', signer.secretFile, ...more]);

/** Runs `sessions verify` with a state directory that does not exist. */
const verify = (...more: readonly string[]) =>
  cli.run(['sessions', 'verify', '--json', '--state', 'nowhere', ...more]);

const key = (): readonly string[] => ['--trusted-key', `release=${signer.publicFile}`];

test('A signed statement is verified without the database', async () => {
  const { sid } = await completed();
  await cli.host.close();
  const made = await state(sid, 's.json', '--json');
  expect(jsonOf('sessions-export', made.out)).toMatchObject({ sid, file: 's.json', status: 'completed' });
  const { code, out } = await verify('--statement', 's.json', ...key(), '--session', sid);
  expect(jsonOf('sessions-verify', out)).toMatchObject({
    ok: true,
    authenticated: true,
    verdicts: [
      {
        target: 's.json',
        sid,
        signers: ['release'],
        statement: {
          session: { sid, status: 'completed', workflow: { id: 'errands' } },
          decisions: [
            { checkpoint: 'bake-now', answer: 'no', by: 'human', person: 'ana', note: 'Not today' },
          ],
          evidence: [],
        },
      },
    ],
  });
  expect(code).toBe(0);
  const shown = await cli.run(['sessions', 'verify', '--statement', 's.json', ...key()]);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('Not today') as string });
  const printed = await cli.run(['sessions', 'export', sid, '--statement', '--key', signer.secretFile]);
  expect(JSON.parse(printed.out)).toMatchObject({ payloadType: 'application/vnd.in-toto+json' });
});

test('A statement about an unfinished session, or about another session or commit, does not pass', async () => {
  const { sid } = await answered();
  await cli.host.close();
  const made = await state(sid, 's.json');
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining('active') as string });
  const codes = async (...more: readonly string[]) => {
    const { code, out } = await verify('--statement', 's.json', ...key(), ...more);
    const { verdicts } = jsonOf('sessions-verify', out) as {
      verdicts: readonly { problems: readonly { code: string }[] }[];
    };
    return { code, problems: verdicts.flatMap(({ problems }) => problems.map((one) => one.code)) };
  };
  expect(await codes()).toEqual({ code: 1, problems: ['UNFINISHED'] });
  expect(await codes('--unfinished')).toEqual({ code: 0, problems: [] });
  expect(await codes('--unfinished', '--session', sid.slice(0, 4))).toEqual({
    code: 1,
    problems: ['OTHER_SESSION'],
  });
  expect(await codes('--unfinished', '--commit', 'a'.repeat(40))).toEqual({
    code: 1,
    problems: ['OTHER_COMMIT'],
  });
});

test('A statement proves nothing without a trusted key, and is refused with another key', async () => {
  const { sid } = await completed();
  await cli.host.close();
  await state(sid, 's.json');
  const unchecked = await verify('--statement', 's.json');
  expect(jsonOf('sessions-verify', unchecked.out)).toMatchObject({ ok: true, authenticated: false });
  expect(unchecked.code).toBe(3);
  const other = await verify('--statement', 's.json', '--trusted-key', `x=${makeCi().publicFile}`);
  expect(jsonOf('sessions-verify', other.out)).toMatchObject({
    ok: false,
    verdicts: [{ problems: [{ code: 'STATEMENT_REFUSED' }] }],
  });
  expect(other.code).toBe(1);
  const text = await readFile(join(cli.root, 's.json'), 'utf8');
  await writeFile(join(cli.root, 'cut.json'), text.slice(0, -20));
  expect((await verify('--statement', 'cut.json', ...key())).code).toBe(1);
  for (const file of ['none.json', '.', '/dev/zero'])
    expect((await verify('--statement', file, ...key())).code).toBe(1);
  expect((await verify('--statement', 's.json', '--trusted-key', signer.publicFile)).code).toBe(2);
  expect((await verify('--statement', 's.json', '--all')).code).toBe(2);
  expect((await cli.run(['sessions', 'export', sid, 'x.json', '--statement'])).code).toBe(2);
  expect((await cli.run(['sessions', 'export', sid, 'x.json', '--key', signer.secretFile])).code).toBe(2);
});

test('Stored sessions and exported files are compared with a statement', async () => {
  const { sid, token } = await answered();
  const lines: string[] = [];
  for await (const line of cli.host.operator.export(sid)) lines.push(line);
  await writeFile(join(cli.root, 'early.jsonl'), `${lines.join('\n')}\n`);
  const resting = await cli.host.sessions.move(token, { activityId: 'rest', manifest: fetchManifest });
  await cli.host.sessions.move(resting.token, { manifest: [] });
  const other = await atCheckpoint(cli);
  await cli.host.close();
  await state(sid, 's.json');
  const compare = async (...targets: readonly string[]) => {
    const { code, out } = await cli.run([
      'sessions',
      'verify',
      ...targets,
      '--statement',
      's.json',
      ...key(),
      '--json',
    ]);
    const { verdicts } = jsonOf('sessions-verify', out) as {
      verdicts: readonly { problems: readonly { code: string }[] }[];
    };
    return { code, problems: verdicts.flatMap(({ problems }) => problems.map((one) => one.code)) };
  };
  expect(await compare(sid)).toEqual({ code: 0, problems: [] });
  expect(await compare('early.jsonl')).toEqual({ code: 1, problems: ['ROLLED_BACK'] });
  expect(await compare(other.sid)).toEqual({ code: 1, problems: ['OTHER_SESSION'] });
});
