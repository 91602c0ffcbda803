import { defineWorkflow } from '@workflowlookup/core';
import type { Operator } from '@workflowlookup/core/operator';
import { expect, test } from 'vitest';
import { makeCi } from '../../../evidence/test/support/ci.ts';
import type { Host, HostOptions } from '../../src/index.ts';
import type { Agent, Project } from '../support/project.ts';
import { agentWith, checksText, makeProject, startAgent } from '../support/project.ts';

const [ci, stranger] = [makeCi(), makeCi()];

const trustedKeys = [{ name: 'ci', file: ci.publicFile }];

/** Runs the check at the commit that is checked out, like CI, and returns the signed statement. */
async function attest(
  { folder }: Project,
  { by = ci, ...request }: { by?: typeof ci; check?: string; session?: string } = {},
): Promise<string> {
  return JSON.stringify(await by.attest(folder, request));
}

function projectFor(options: HostOptions = {}): Project {
  return makeProject([{ id: 'tests', check: 'test', level: 'ci', tests: 'not-fewer' }], {
    trustedKeys,
    ...options,
  });
}

const refusedMove = { code: 'EVIDENCE_REQUIRED' };

function refusal(reason: string): object {
  return { code: 'STATEMENT_REFUSED', data: { reason } };
}

async function sidOf(host: Host): Promise<string> {
  return (await host.operator.find({})).sessions[0]?.sid ?? '';
}

test('A step with the level ci runs nothing, and a statement about the commit lets the agent continue', async () => {
  const project = projectFor();
  await project.trust();
  const agent = await startAgent(project);
  const [asked] = await agent.collect();
  expect(asked).toMatchObject({ status: 'missing' });
  expect(asked?.recorded).toBeUndefined();
  expect(await agent.next()).toMatchObject(refusedMove);
  const statement = await attest(project);
  expect(await agent.collect({ statement })).toMatchObject([
    {
      status: 'passed',
      freshness: 'fresh',
      recorded: { result: { level: 'ci', by: 'ci', tests: { run: 2 } } },
    },
  ]);
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});

test('A statement about a failed run is recorded as failed', async () => {
  const project = projectFor();
  await project.trust();
  const agent = await startAgent(project);
  project.write('tests/adds', 'broken');
  project.commit();
  expect(await agent.collect({ statement: await attest(project) })).toMatchObject([{ status: 'failed' }]);
  expect(await agent.next()).toMatchObject(refusedMove);
});

test('A statement with another key, or without trusted keys, is refused', async () => {
  const project = projectFor();
  const agent = await startAgent(project);
  const statement = await attest(project, { by: stranger });
  await expect(agent.collect({ statement })).rejects.toMatchObject(refusal('unknown-key'));
  const trustless = agentWith(project.open({ trustedKeys: [] }).sessions, agent.token);
  await expect(trustless.collect({ statement: await attest(project) })).rejects.toMatchObject(
    refusal('no-trusted-keys'),
  );
});

test('A statement with changed text is refused', async () => {
  const project = projectFor();
  const agent = await startAgent(project);
  const envelope = JSON.parse(await attest(project)) as { payload: string };
  const body = Buffer.from(envelope.payload, 'base64').toString().replace('"run":2', '"run":7');
  const statement = JSON.stringify({ ...envelope, payload: Buffer.from(body).toString('base64') });
  await expect(agent.collect({ statement })).rejects.toMatchObject(refusal('unknown-key'));
  await expect(agent.collect({ statement: '{}' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('A statement about an older commit, or about files that have changed since, is refused', async () => {
  const project = projectFor();
  await project.trust();
  const agent = await startAgent(project);
  const old = await attest(project);
  project.write('src/cart.txt', 'a better cart\n');
  await expect(agent.collect({ statement: old })).rejects.toMatchObject(refusal('not-committed'));
  project.commit();
  await expect(agent.collect({ statement: old })).rejects.toMatchObject(refusal('other-commit'));
  const statement = await attest(project);
  await agent.collect({ statement });
  project.write('src/cart.txt', 'yet another cart\n');
  expect(await agent.next()).toMatchObject(refusedMove);
  project.commit();
  expect(await agent.next()).toMatchObject(refusedMove);
});

test('A statement about another check, or for another session, is refused', async () => {
  const project = projectFor();
  await project.trust();
  const agent = await startAgent(project);
  await expect(agent.collect({ statement: await attest(project, { check: 'slow' }) })).rejects.toMatchObject(
    refusal('other-check'),
  );
  const elsewhere = await attest(project, { session: 'another' });
  await expect(agent.collect({ statement: elsewhere })).rejects.toMatchObject(refusal('other-session'));
  const mine = await attest(project, { session: await sidOf(project.host) });
  expect(await agent.collect({ statement: mine })).toMatchObject([{ status: 'passed' }]);
});

test('A statement about a commit that changes the check itself is refused', async () => {
  const project = projectFor();
  await project.trust();
  const agent = await startAgent(project);
  project.write('.workflowlookup/checks.yaml', 'checks: {test: {run: "true"}}\n');
  project.commit();
  const command = `workflowlookup checks trust --state ${project.stateDirectory}`;
  await expect(agent.collect({ statement: await attest(project) })).rejects.toMatchObject({
    ...refusal('other-checks'),
    message: expect.stringContaining(`"${command}`) as string,
  });
  project.write('.workflowlookup/checks.yaml', checksText);
  project.commit();
  expect(await agent.collect({ statement: await attest(project) })).toMatchObject([{ status: 'passed' }]);
});

test('A statement is accepted only if a person trusts the checks', async () => {
  const project = projectFor();
  const agent = await startAgent(project);
  project.write('.workflowlookup/checks.yaml', checksText.replace('./run-tests.sh', 'cp all.xml reports'));
  await expect(agent.collect({ statement: await attestHere() })).rejects.toMatchObject(
    refusal('other-checks'),
  );
  async function attestHere(): Promise<string> {
    project.commit();
    return attest(project);
  }
});

test('An older statement cannot replace a newer one about the same commit', async () => {
  const project = projectFor();
  await project.trust();
  const agent = await startAgent(project);
  const [first, commit] = [await attest(project), project.git('rev-parse', 'HEAD').trim()];
  // This change makes the check fail in CI.
  project.write('run-tests.sh', '#!/bin/sh\nexit 1\n');
  project.commit();
  const failed = await attest(project);
  expect(await agent.collect({ statement: failed })).toMatchObject([{ status: 'failed' }]);
  project.git('reset', '--quiet', '--hard', commit);
  expect(await agent.collect({ statement: first })).toMatchObject([{ status: 'passed' }]);
  const again = await attest(project);
  expect(await agent.collect({ statement: again })).toMatchObject([{ status: 'passed' }]);
  await expect(agent.collect({ statement: first })).rejects.toMatchObject(refusal('too-old'));
  expect(await agent.collect({ statement: again })).toMatchObject([{ status: 'passed' }]);
});

test('A statement with fewer tests than CI counted before is refused', async () => {
  const project = projectFor();
  await project.trust();
  const first = await startAgent(project);
  await first.collect({ statement: await attest(project) });
  project.remove('tests/adds');
  project.commit();
  const second = await startAgent(project);
  expect(await second.collect({ statement: await attest(project) })).toMatchObject([
    { status: 'failed', recorded: { result: { testsBefore: 2, tests: { run: 1 } } } },
  ]);
});

test('A statement from CI satisfies the level rerun, but a run on the server does not satisfy the level ci', async () => {
  const project = makeProject(
    [
      { id: 'tests', check: 'test' },
      { id: 'vouched', check: 'test', level: 'ci' },
    ],
    { trustedKeys },
  );
  await project.trust();
  const agent = await startAgent(project);
  expect(await agent.collect()).toMatchObject([{ status: 'passed' }, { status: 'missing' }]);
  expect(await agent.collect({ statement: await attest(project) })).toMatchObject([
    { id: 'tests', status: 'passed', recorded: { result: { level: 'ci' } } },
    { id: 'vouched', status: 'passed' },
  ]);
});

/** Makes a server without access to the project folder, and people who use it. */
function blindServer(evidence: Parameters<typeof makeProject>[0]): {
  readonly project: Project;
  person(credential?: string): Operator;
} {
  const project = makeProject(evidence, { trustedKeys, evidence: false });
  return {
    project,
    person: (credential = 'key:ada') =>
      project.host.operatorOf({ person: 'ada', principal: 'local', channel: 'http', credential }),
  };
}

async function blindAgent(project: Project): Promise<Agent> {
  // Without a folder, like the sessions of an agent on another machine.
  const sessions = project.host.sessionsOf({ principal: 'local', credential: 'key:agent' });
  const started = await sessions.start({ agentId: 'agent', workflowId: 'build-it' });
  const entered = await sessions.move(started.token, {});
  return agentWith(sessions, entered.token);
}

const vouched = [{ id: 'tests', check: 'test', level: 'ci' } as const];

test('A server that cannot see the files accepts only a statement for its session', async () => {
  const { project } = blindServer(vouched);
  const agent = await blindAgent(project);
  await expect(agent.collect({ statement: await attest(project) })).rejects.toMatchObject(
    refusal('no-session'),
  );
  const session = await sidOf(project.host);
  expect(await agent.collect({ statement: await attest(project, { session }) })).toMatchObject([
    { status: 'passed', freshness: 'unknown' },
  ]);
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});

test('An older statement cannot replace a newer one, and none from before the visit is accepted', async () => {
  const { project } = blindServer(vouched);
  const agent = await blindAgent(project);
  const session = await sidOf(project.host);
  const early = await attest(project, { session });
  project.write('tests/adds', 'broken');
  project.commit();
  const failed = await attest(project, { session });
  expect(await agent.collect({ statement: failed })).toMatchObject([{ status: 'failed' }]);
  await expect(agent.collect({ statement: early })).rejects.toMatchObject(refusal('too-old'));
  const again = await blindAgent(project);
  const other = (await project.host.operator.find({})).sessions.find(({ sid }) => sid !== session)?.sid ?? '';
  await expect(again.collect({ statement: failed })).rejects.toMatchObject(refusal('other-session'));
  expect(other).not.toBe('');
});

test('A statement from the future is refused', async () => {
  const { project } = blindServer(vouched);
  await blindAgent(project);
  const session = await sidOf(project.host);
  const ahead = Date.now() + 3_600_000;
  const { Date: RealDate } = globalThis;
  class Later extends RealDate {
    constructor() {
      super(ahead);
    }
  }
  globalThis.Date = Later as DateConstructor;
  const statement = await attest(project, { session }).finally(() => {
    globalThis.Date = RealDate;
  });
  const operator = project.host.operator;
  await expect(operator.submitStatement(session, statement)).rejects.toMatchObject(refusal('in-the-future'));
});

test('The report of a person has the level observed and their name, and must match the current step', async () => {
  const { project, person } = blindServer([{ id: 'tests', check: 'test', level: 'observed' }]);
  const agent = await blindAgent(project);
  await expect(agent.collect()).rejects.toMatchObject({
    code: 'INVALID_STATE',
    data: { reason: 'no-folder' },
  });
  const sid = await sidOf(project.host);
  const { asked, activity = '' } = await person().evidence(sid);
  expect(asked).toMatchObject([{ evidence: { id: 'tests', check: 'test' }, state: { status: 'missing' } }]);
  const demand = asked[0]?.digest ?? '';
  const result = { outcome: 'passed', reasons: [], check: 'other', tree: 'commit:abc' } as const;
  const report = { activity, results: [{ evidence: 'tests', demand, result }] };
  await expect(person('key:agent').reportEvidence(sid, report)).rejects.toMatchObject({
    code: 'FORBIDDEN',
    data: { reason: 'same-credential' },
  });
  await expect(person().reportEvidence(sid, { ...report, activity: 'report' })).rejects.toMatchObject({
    code: 'INVALID_STATE',
    data: { reason: 'activity-left' },
  });
  await expect(
    person().reportEvidence(sid, { activity, results: [{ evidence: 'tests', demand: 'sha256:1', result }] }),
  ).rejects.toMatchObject({ code: 'INVALID_STATE', data: { reason: 'other-demand' } });
  await expect(
    person().reportEvidence(sid, { activity, results: [{ evidence: 'lint', demand, result }] }),
  ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await person().reportEvidence(sid, report)).toMatchObject([
    { status: 'passed', recorded: { result: { level: 'observed', by: 'ada', check: 'test' } } },
  ]);
  const events = await project.host.operator.events(sid);
  expect(events.at(-1)?.event).toMatchObject({
    type: 'evidence-collected',
    origin: { channel: 'http', principal: 'local', credential: 'key:ada', assurance: 'account' },
  });
  agent.token = (await agent.sessions.status(agent.token)).token;
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});

test('The report of a person is not enough if the step requires a higher level', async () => {
  const { project, person } = blindServer([{ id: 'tests', check: 'test' }]);
  const agent = await blindAgent(project);
  const sid = await sidOf(project.host);
  const { asked, activity = '' } = await person().evidence(sid);
  const result = { outcome: 'passed', reasons: [] } as const;
  await person().reportEvidence(sid, {
    activity,
    results: [{ evidence: 'tests', demand: asked[0]?.digest ?? '', result }],
  });
  agent.token = (await agent.sessions.status(agent.token)).token;
  expect(await agent.next()).toMatchObject(refusedMove);
});

test('A statement of an earlier visit is not accepted if nobody sees the files', async () => {
  const twice = defineWorkflow({
    id: 'build-it',
    name: 'Build it',
    description: 'Builds something twice.',
    version: '1.0.0',
    enforcement: 'strict',
    steps: [
      {
        id: 'rounds',
        type: 'loop',
        title: 'Rounds',
        loop: { type: 'for', count: 2, maxIterations: 2 },
        body: [{ id: 'build', title: 'Build', prompt: 'Build it.', evidence: vouched }],
      },
    ],
  });
  const project = makeProject([], { trustedKeys, evidence: false, definitions: [twice] });
  const agent = await blindAgent(project);
  const session = await sidOf(project.host);
  const statement = await attest(project, { session });
  expect(await agent.collect({ statement })).toMatchObject([{ status: 'passed' }]);
  expect(await agent.next()).toMatchObject({ activity: expect.anything() as string });
  await expect(agent.collect({ statement })).rejects.toMatchObject(refusal('too-old'));
  expect(await agent.next()).toMatchObject(refusedMove);
});
