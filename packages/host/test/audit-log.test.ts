import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { AuditLogParts } from '../src/audit.ts';
import { createAuditLog, openAuditSink, openAuditLog } from '../src/audit.ts';
import { auditPlaceProblem } from '../src/options.ts';
import { createHost } from '../src/create-host.ts';

const signIn = { action: 'sign-in', outcome: 'done' } as const;

async function tempFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'workflowlookup-audit-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

const entriesOf = async (file: string): Promise<readonly unknown[]> =>
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

test('An entry is a line of a file that only its owner can read', async () => {
  const file = join(await tempFolder(), 'logs', 'audit.jsonl');
  const audit = openAuditLog({ audit: [file] });
  audit.record({ ...signIn, principal: 'ann', key: '1f4c9a20b7e3' });
  audit.record({ action: 'prune', outcome: 'done', target: '3', channel: 'cli', person: 'bob\nroot' });
  await audit.close();
  expect(await entriesOf(file)).toEqual([
    { time: expect.stringMatching(/^\d{4}-.*Z$/), ...signIn, principal: 'ann', key: '1f4c9a20b7e3' },
    {
      time: expect.any(String),
      action: 'prune',
      outcome: 'done',
      target: '3',
      channel: 'cli',
      person: 'bob\nroot',
    },
  ]);
  const isOpen = process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0;
  expect(isOpen).toBe(false);
});

test('Entries have the principal of their context, and the details that were found in the meantime', async () => {
  const lines: string[] = [];
  const audit = createAuditLog({
    sinks: [{ write: (line) => void lines.push(line) }],
    now: () => new Date(0),
  });
  const act = (principal: string, session: string): Promise<void> =>
    audit.within({ channel: 'mcp', principal }, async () => {
      await setTimeout(1);
      await audit.within({ via: 'next_activity' }, async () => {
        audit.note({ session });
        await setTimeout(1);
        audit.record({ action: 'call', outcome: 'done' });
      });
      audit.record(signIn);
    });
  await Promise.all([act('ann', '1'), act('bob', '2')]);
  audit.record(signIn);
  const time = '1970-01-01T00:00:00.000Z';
  const of = (principal: string, session: string) => [
    { time, action: 'call', outcome: 'done', channel: 'mcp', principal, via: 'next_activity', session },
    { time, ...signIn, channel: 'mcp', principal },
  ];
  const found = lines.map((line): unknown => JSON.parse(line));
  expect(found).toHaveLength(5);
  expect(found).toEqual(expect.arrayContaining([...of('ann', '1'), ...of('bob', '2'), { time, ...signIn }]));
});

test('A file that was moved is created again when it is reopened', async () => {
  const root = await tempFolder();
  const file = join(root, 'audit.jsonl');
  const audit = openAuditLog({ audit: [file] });
  audit.record(signIn);
  await rename(file, join(root, 'audit.1.jsonl'));
  audit.record(signIn);
  audit.reopen();
  audit.record({ action: 'sign-out', outcome: 'done' });
  await audit.close();
  expect([(await entriesOf(join(root, 'audit.1.jsonl'))).length, await entriesOf(file)]).toMatchObject([
    2,
    [{ action: 'sign-out' }],
  ]);
});

test('A failing destination delays nobody, and is reported once, and again when it works', async () => {
  const root = await tempFolder();
  const changes: Parameters<NonNullable<AuditLogParts['onChange']>>[0][] = [];
  const lines: string[] = [];
  let isFull = true;
  const sinks = [
    { write: (line: string) => void lines.push(line) },
    openAuditSink(join(root, 'audit.jsonl')),
    {
      write() {
        if (isFull) throw new Error('full');
      },
    },
  ];
  const audit = createAuditLog({ sinks, onChange: (change) => void changes.push(change) });
  for (let at = 0; at < 3; at += 1) audit.record(signIn);
  expect(audit.isFailing()).toBe(true);
  isFull = false;
  audit.record(signIn);
  expect(audit.isFailing()).toBe(false);
  expect(changes).toMatchObject([
    { isFailing: true, lost: 1 },
    { isFailing: false, lost: 3 },
  ]);
  expect(lines).toHaveLength(4);
  await audit.close();
  expect(await entriesOf(join(root, 'audit.jsonl'))).toHaveLength(4);
});

test('A folder instead of the file is reported and causes no exception', async () => {
  const changes: unknown[] = [];
  const audit = openAuditLog({
    audit: [await tempFolder()],
    onAuditChange: (change) => void changes.push(change),
  });
  audit.record(signIn);
  expect(changes).toMatchObject([{ isFailing: true, error: { code: 'EISDIR' } }]);
});

test('syslog gets each entry as a datagram of RFC 5424', async () => {
  const receiver = createSocket('udp4').bind(0, '127.0.0.1');
  onTestFinished(() => void receiver.close());
  await once(receiver, 'listening');
  const audit = openAuditLog({ audit: [`syslog://127.0.0.1:${receiver.address().port}`] });
  const heard = once(receiver, 'message');
  audit.record({ ...signIn, principal: 'ann' });
  const [message] = (await heard) as [Buffer];
  await audit.close();
  const [, head = '', json = ''] =
    /^(<\d+>1 \S+ \S+ workflowlookup \d+ audit -) (.*)$/.exec(String(message)) ?? [];
  expect(head).toMatch(/^<110>1 \d{4}-\d\d-\d\dT/);
  expect(JSON.parse(json)).toMatchObject({ ...signIn, principal: 'ann' });
});

test.each(['syslog://', 'syslog:host', 'syslog://h/path', 'syslog://u@h', ''])(
  "'%s' is not a destination",
  (place) => {
    expect(auditPlaceProblem(place)).toBeDefined();
  },
);

test('Nothing is recorded without a destination', async () => {
  const audit = openAuditLog({});
  expect([audit.isOn, audit.within({ principal: 'ann' }, () => 1)]).toEqual([false, 1]);
  audit.record(signIn);
  await audit.close();
});

test('The log records what a person trusts, and what they do with sessions', async () => {
  const root = await tempFolder();
  const file = join(root, 'audit.jsonl');
  const project = join(root, 'project');
  await mkdir(project);
  const host = createHost({ stateDirectory: join(root, 'state'), audit: [file], person: 'ann' });
  host.trust.trustFolder(project, 'ann');
  host.trust.remove(project);
  const started = await host.sessions.start({ agentId: 'a', workflowId: 'change-review' });
  const { sid } = started.value;
  await host.operator.history(sid);
  await expect(
    host.operator.respond(sid, { mode: { kind: 'option', option: 'x' }, revision: 1 }),
  ).rejects.toMatchObject({ code: expect.any(String) });
  await host.operator.abandon(sid);
  await host.operator.prune({ before: '2999-01-01T00:00:00.000Z', statuses: ['completed'] });
  await host.close();
  expect(await entriesOf(file)).toMatchObject([
    { action: 'trust', person: 'ann', target: expect.stringContaining('project') },
    { action: 'distrust', target: project },
    { action: 'session.start', session: sid },
    { action: 'read', session: sid, person: 'ann' },
    { action: 'answer', outcome: 'refused', code: expect.any(String), session: sid, person: 'ann' },
    { action: 'session.end', outcome: 'done', session: sid, person: 'ann' },
    { action: 'prune', outcome: 'done', target: '1 sessions', person: 'ann' },
  ]);
});

test('The log records that a person vouched for a session, or read its checkpoint or its task', async () => {
  const file = join(await tempFolder(), 'audit.jsonl');
  const host = createHost({ stateDirectory: join(await tempFolder(), 'state'), audit: [file] });
  const sid = '0123456789abcdef0123';
  for (const work of [
    () => host.operator.seal(sid),
    () => host.operator.present(sid),
    () => host.operator.task(sid),
  ])
    await expect(work()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await host.close();
  const refused = { outcome: 'refused', code: 'NOT_FOUND', session: sid };
  expect(await entriesOf(file)).toMatchObject([
    { action: 'session.seal', ...refused },
    { action: 'read', ...refused },
    { action: 'read', ...refused },
  ]);
});
