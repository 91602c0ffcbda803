import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Evidence } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { messages, transitionTexts } from '../../../core/test/support/messages.ts';
import { driver } from '../../../storage/test/support/other-connection.ts';
import type { Agent } from '../support/project.ts';
import { agentWith, checksText, makeProject, startAgent, waitingCommand } from '../support/project.ts';

const tests: Evidence = { id: 'tests', check: 'test', tests: 'not-fewer' };

const refused = { code: 'EVIDENCE_REQUIRED' };

/** Returns the evidence of the session as it stands now. */
async function statesNow({ sessions, token }: Agent) {
  return (await sessions.status(token)).value.evidence;
}

test('An honest agent whose tests pass can continue', async () => {
  const project = makeProject([tests]);
  await project.trust();
  const agent = await startAgent(project);
  expect(await agent.next()).toMatchObject(refused);
  const [found] = await agent.collect();
  expect(found).toMatchObject({ id: 'tests', status: 'passed', freshness: 'fresh' });
  expect(found?.recorded?.result).toMatchObject({
    kind: 'check',
    level: 'rerun',
    outcome: 'passed',
    command: './run-tests.sh',
    exitCode: 0,
    tests: { run: 2, failed: 0, skipped: 0 },
    commit: project.git('rev-parse', 'HEAD').trim(),
  });
  expect(await agent.next()).toMatchObject({ activity: 'report', warnings: [] });
});

test('An agent that claims success although tests fail is refused, and the failed tests are named', async () => {
  const project = makeProject([tests]);
  await project.trust();
  const agent = await startAgent(project);
  project.write('tests/adds', 'broken');
  const [found] = await agent.collect();
  expect(found).toMatchObject({
    id: 'tests',
    status: 'failed',
    recorded: { result: { exitCode: 1, tests: { run: 2, failed: 1, failures: ['cart › adds'] } } },
  });
  const { code, message } = await agent.next();
  expect(code).toBe('EVIDENCE_REQUIRED');
  expect(message).toContain('cart › adds');
  project.write('tests/adds', 'pass');
  expect(await agent.next()).toMatchObject(refused);
  await agent.collect();
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});

test.each([
  ['edits the check', '.workflowlookup/checks.yaml', checksText.replace('./run-tests.sh', 'true')],
  ['edits it in a comment', '.workflowlookup/checks.yaml', `# ok\n${checksText}`],
])('An agent that %s is refused until a person trusts the change', async (_, path, text) => {
  const project = makeProject([tests]);
  await project.trust();
  const agent = await startAgent(project);
  project.write(path, text);
  const [found] = await agent.collect();
  expect(found).toMatchObject({ status: 'failed', recorded: { result: { check: 'test' } } });
  expect(found?.recorded?.result.exitCode).toBeUndefined();
  expect(found?.message).toContain('workflowlookup checks trust');
  expect(await agent.next()).toMatchObject(refused);
});

test('An agent that edits a file in also_trust is refused', async () => {
  const project = makeProject([tests]);
  const text = checksText.replace('slow:', 'other: {run: "true", also_trust: [run-tests.sh]}\n  slow:');
  project.write('.workflowlookup/checks.yaml', text);
  await project.trust();
  const agent = await startAgent(project);
  project.write('run-tests.sh', '#!/bin/sh\nexit 0\n');
  expect(await agent.collect()).toMatchObject([{ status: 'failed' }]);
  expect(await agent.next()).toMatchObject(refused);
});

test('An agent that deletes the checks or one of them is refused', async () => {
  for (const isTrusted of [true, false]) {
    const project = makeProject([tests]);
    if (isTrusted) await project.trust();
    const agent = await startAgent(project);
    project.remove('.workflowlookup');
    expect(await agent.collect()).toMatchObject([{ status: 'failed' }]);
    project.commit();
    expect(await agent.collect()).toMatchObject([{ status: 'failed' }]);
    project.write('.workflowlookup/checks.yaml', 'checks: {}\n');
    expect(await agent.collect()).toMatchObject([{ status: 'failed' }]);
    expect(await agent.next()).toMatchObject(refused);
  }
});

test('Checks that nobody trusted are not run', async () => {
  const project = makeProject([{ id: 'tests', check: 'evil' }]);
  const mark = join(project.stateDirectory, 'ran');
  project.write('.workflowlookup/checks.yaml', `checks: {evil: {run: "touch ${mark}"}}\n`);
  for (const options of [{}, { trustProject: true }]) {
    const agent = await startAgent({ host: project.open(options) });
    project.host.trust.trustFolder(project.folder, 'ada');
    expect(await agent.collect()).toMatchObject([{ status: 'failed' }]);
    expect(await agent.next()).toMatchObject(refused);
  }
  expect(() => chmodSync(mark, 0o600)).toThrow(/ENOENT/);
});

test.each([
  ['deletes tests', (remove: (path: string) => void) => remove('tests/adds')],
  ['skips tests', (_: unknown, write: (path: string, text: string) => void) => write('tests/adds', 'skip')],
])('An agent that %s is refused, even in a later session', async (_, act) => {
  const project = makeProject([tests]);
  await project.trust();
  const first = await startAgent(project);
  await first.collect();
  expect(await first.next()).toMatchObject({ activity: 'report' });
  const agent = await startAgent({ host: project.open() });
  act(project.remove, project.write);
  expect(await agent.collect()).toMatchObject([
    { status: 'failed', recorded: { result: { exitCode: 0, tests: { run: 1 }, testsBefore: 2 } } },
  ]);
  expect(await agent.next()).toMatchObject(refused);
});

test('A check that never counted its tests can pass, and a check that did has to count them again', async () => {
  const project = makeProject([tests]);
  const counting = '.workflowlookup/checks.yaml';
  for (const [text, status] of [
    ['checks: {test: {run: ./run-tests.sh}}\n', 'passed'],
    [checksText, 'passed'],
    ['checks: {test: {run: ./run-tests.sh}}\n', 'failed'],
  ] as const) {
    project.write(counting, text);
    project.commit();
    await project.trust();
    const agent = await startAgent(project);
    expect(await agent.collect()).toMatchObject([{ status }]);
  }
});

test('An agent that deletes all tests is refused, even the first time', async () => {
  const project = makeProject([{ id: 'tests', check: 'test' }]);
  await project.trust();
  const agent = await startAgent(project);
  project.write('tests/adds', 'skip');
  project.write('tests/removes', 'skip');
  expect(await agent.collect()).toMatchObject([{ status: 'failed', recorded: { result: { exitCode: 0 } } }]);
});

test('An agent that leaves an old report and breaks the test runner is refused', async () => {
  const project = makeProject([tests]);
  await project.trust();
  const agent = await startAgent(project);
  await agent.collect();
  project.write('run-tests.sh', '#!/bin/sh\nexit 0\n');
  expect(await agent.collect()).toMatchObject([{ status: 'failed', recorded: { result: { exitCode: 0 } } }]);
});

test('An agent that changes or commits something after the check is refused', async () => {
  const project = makeProject([tests]);
  await project.trust();
  const agent = await startAgent(project);
  project.write('src/cart.txt', 'a better cart\n');
  await agent.collect();
  project.write('src/cart.txt', 'another cart\n');
  expect(await agent.next()).toMatchObject(refused);
  expect(await statesNow(agent)).toMatchObject([{ id: 'tests', status: 'stale' }]);
  project.write('src/cart.txt', 'a better cart\n');
  project.commit();
  expect(await agent.next()).toMatchObject(refused);
  await agent.collect();
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});

test('An agent that changes files while the check runs is refused', async () => {
  const project = makeProject([{ id: 'slow', check: 'slow' }]);
  const command = waitingCommand(project);
  project.write('.workflowlookup/checks.yaml', `checks: {slow: {run: "${command.run}"}}\n`);
  await project.trust();
  const agent = await startAgent(project);
  const collecting = agent.collect();
  await command.begun();
  project.write('src/cart.txt', 'swapped\n');
  command.letGo();
  const [found] = await collecting;
  expect(found).toMatchObject({ status: 'failed' });
  expect(found?.recorded?.result.reasons.join(' ')).toContain('src/cart.txt');
  project.commit();
  command.holdAgain();
  const again = agent.collect();
  await command.begun();
  project.commit();
  command.letGo();
  expect((await again)[0]?.recorded?.result.reasons.join(' ')).toContain('(HEAD)');
});

test('An agent that uses a server of another folder is refused', async () => {
  const project = makeProject([tests]);
  await project.trust();
  const agent = await startAgent(project);
  await agent.collect();
  project.write('src/cart.txt', 'changed\n');
  const other = makeProject([tests]);
  const elsewhere = other.open({ stateDirectory: project.stateDirectory });
  const moved = agentWith(elsewhere.sessions, agent.token);
  await expect(moved.collect()).rejects.toMatchObject({
    code: 'INVALID_STATE',
    data: { reason: 'other-folder' },
  });
  expect(await moved.next()).toMatchObject(refused);
  const blind = agentWith(project.open({ evidence: false }).sessions, agent.token);
  await expect(blind.collect()).rejects.toMatchObject({
    code: 'INVALID_STATE',
    data: { reason: 'no-folder' },
  });
  expect(await blind.next()).toMatchObject(refused);
});

test('A project without checks can continue, and every later decision shows that there is no evidence', async () => {
  const project = makeProject([tests], { without: ['.workflowlookup/checks.yaml'] });
  const agent = await startAgent(project);
  expect(await agent.next()).toMatchObject(refused);
  expect(await agent.collect()).toMatchObject([{ status: 'not-configured' }]);
  const { activity, warnings } = await agent.next();
  expect(activity).toBe('report');
  expect(warnings).toHaveLength(1);
  const status = await agent.sessions.status(agent.token);
  expect(status.value.evidence).toMatchObject([{ id: 'tests', activity: 'build', status: 'not-configured' }]);
});

test('A step that may be missing needs no evidence if it is reported as not done, which later decisions show', async () => {
  // This output is so long that it is stored separately from the journal.
  const built = 'Built it. '.repeat(2000);
  for (const mayBeMissing of [true, false]) {
    const project = makeProject([tests], { step: { may_be_missing: mayBeMissing } });
    await project.trust();
    const agent = await startAgent(project);
    project.write('tests/adds', 'broken');
    await agent.collect();
    expect(await agent.next()).toMatchObject(refused);
    const notDone = await agent.next({
      output: built,
      not_done: 'Test adds fails, and I do not know why.',
    });
    expect(notDone).toMatchObject(mayBeMissing ? { activity: 'report' } : { code: 'MANIFEST_INVALID' });
    if (!mayBeMissing) continue;
    const { value } = await agent.sessions.status(agent.token);
    expect(value.notDone).toMatchObject([{ step: 'build' }]);
    expect(value.evidence).toMatchObject([{ id: 'tests', status: 'failed' }]);
    const [session] = (await project.host.operator.find({})).sessions;
    expect((await project.host.operator.contents(session?.sid ?? '')).outputs).toMatchObject([
      { step: 'build', output: built, notDone: 'Test adds fails, and I do not know why.' },
    ]);
  }
});

test('A level that the server cannot reach is refused', async () => {
  const project = makeProject([{ id: 'tests', check: 'test', level: 'ci' }]);
  await project.trust();
  const agent = await startAgent(project);
  await agent.collect();
  expect(await agent.next()).toMatchObject(refused);
});

test('Evidence about git, changes and files depends on the current state of the folder', async () => {
  const project = makeProject([
    { id: 'committed', git: { clean: true, ahead_of: '{{baseBranch}}' } },
    { id: 'scope', changes: { within: ['{{plannedPaths}}'], since: '{{baseBranch}}' } },
    { id: 'plan', file: { path: 'docs/plan.md', min_bytes: 20 } },
  ]);
  project.git('branch', 'base');
  const early = await startAgent(project);
  expect(await early.collect()).toMatchObject([
    { status: 'missing' },
    { status: 'missing' },
    { status: 'failed' },
  ]);
  const agent = await startAgent(project, { baseBranch: 'base', plannedPaths: ['src', 'docs/plan.md'] });
  project.write('docs/plan.md', 'What we are going to do.\n');
  project.write('src/cart.txt', 'a better cart\n');
  expect(await agent.collect()).toMatchObject([
    { status: 'failed' },
    { status: 'passed' },
    { status: 'passed' },
  ]);
  project.commit();
  expect(await agent.next()).toMatchObject(refused);
  expect(await agent.collect()).toMatchObject([
    { status: 'passed' },
    { status: 'passed' },
    { status: 'passed' },
  ]);
  project.write('stray.txt', '');
  const [committed, scope] = await agent.collect();
  expect(committed?.recorded?.result.reasons.join(' ')).toContain('stray.txt');
  expect(scope?.recorded?.result.reasons.join(' ')).toContain('stray.txt');
  project.remove('stray.txt');
  await agent.collect();
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});

test('An advisory session gets a warning and can continue', async () => {
  const project = makeProject([tests], { enforcement: 'advisory', isAdvisory: true });
  await project.trust();
  const agent = await startAgent(project);
  expect(await statesNow(agent)).toMatchObject([{ id: 'tests', status: 'missing' }]);
  const { activity, warnings } = await agent.next();
  expect(activity).toBe('report');
  expect(warnings).toEqual([expect.stringContaining("'tests'")]);
});

test('A person sees the evidence at a checkpoint, and whether it is still current', async () => {
  const project = makeProject([tests], { step: { requireConfirmation: true } });
  await project.trust();
  const agent = await startAgent(project);
  await agent.collect();
  const { token } = await agent.sessions.yield(agent.token, 'confirm');
  const shown = await agent.sessions.present(token);
  expect(shown.value.evidence).toMatchObject([{ id: 'tests', status: 'passed', freshness: 'fresh' }]);
  project.write('tests/adds', 'broken');
  const sid = (await project.host.operator.find({})).sessions[0]?.sid ?? '';
  const question = await project.host.operator.present(sid);
  expect(question.evidence).toMatchObject([{ id: 'tests', status: 'stale', freshness: 'stale' }]);
  await expect(agent.collect()).rejects.toMatchObject({ code: 'CHECKPOINT_OPEN' });
});

test('Two calls never run a check twice, and a later call gets the result', async () => {
  const project = makeProject([{ id: 'slow', check: 'slow' }]);
  const log = join(project.stateDirectory, 'runs');
  const command = waitingCommand(project);
  const run = `echo run >> ${log}; ${command.run}`;
  project.write('.workflowlookup/checks.yaml', JSON.stringify({ checks: { slow: { run } } }));
  await project.trust();
  const agent = await startAgent(project);
  const other = agentWith(agent.sessions, agent.token);
  const [first, second] = await Promise.all([agent.collect({ waitMs: 100 }), other.collect({ waitMs: 50 })]);
  expect(first).toMatchObject([{ running: {} }]);
  expect(second).toMatchObject([{ running: {} }]);
  command.letGo();
  expect(await agent.collect()).toMatchObject([{ status: 'passed' }]);
  expect(await agent.collect()).toMatchObject([{ status: 'passed' }]);
  expect(readFileSync(log, 'utf8')).toBe('run\n');
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});

test('A cancelled call ends the command', async () => {
  const project = makeProject([{ id: 'slow', check: 'slow' }]);
  const command = waitingCommand(project);
  project.write('.workflowlookup/checks.yaml', JSON.stringify({ checks: { slow: { run: command.run } } }));
  await project.trust();
  const agent = await startAgent(project);
  const cancel = new AbortController();
  const collecting = agent.collect({ signal: cancel.signal });
  await command.begun();
  cancel.abort();
  expect(await collecting).toMatchObject([{ running: {} }]);
  expect(await agent.collect()).toMatchObject([{ status: 'failed' }]);
});

test('A change of the journal in the database is detected', async () => {
  const project = makeProject([tests]);
  await project.trust();
  const agent = await startAgent(project);
  project.write('tests/adds', 'broken');
  await agent.collect();
  const sid = (await project.host.operator.find({})).sessions[0]?.sid ?? '';
  await project.host.close();
  const file = join(project.stateDirectory, 'sessions.db');
  expect(existsSync(file)).toBe(true);
  const database = driver.open(file);
  const edit = "UPDATE events SET data = replace(data, 'failed', 'passed') WHERE type = 'evidence-collected'";
  database.run(edit, []);
  database.close();
  const verdict = await project.open().operator.verify(sid);
  expect(verdict.problems.length).toBeGreaterThan(0);
});

test.each([
  { name: 'a strict session', options: {}, moves: 0 },
  { name: 'a step that may be missing', options: { step: { may_be_missing: true } }, moves: 1 },
  { name: 'an advisory session', options: { isAdvisory: true }, moves: 1 },
])('The status shows a move as legal only if it is legal: $name', async ({ options, moves }) => {
  const project = makeProject([tests], options);
  await project.trust();
  const agent = await startAgent(project);
  const kindsNow = async () => {
    const { next } = (await agent.sessions.status(agent.token)).value;
    return { kinds: next.map(({ kind }) => kind), move: next.find(({ kind }) => kind === 'move') };
  };
  const moveKinds = Array.from({ length: moves }, () => 'move');
  const beforeAny = await kindsNow();
  expect(beforeAny.kinds).toEqual(['collect', 'read-activity', ...moveKinds]);
  expect(beforeAny.move?.kind === 'move' && beforeAny.move.needsEvidence).toEqual(moves > 0 && ['tests']);
  project.write('tests/adds', 'broken');
  await agent.collect();
  expect((await kindsNow()).kinds).toEqual(['collect', 'read-activity', ...moveKinds]);
  project.write('tests/adds', 'pass');
  await agent.collect();
  const passed = await kindsNow();
  expect(passed.kinds).toEqual(['read-activity', 'move']);
  expect(passed.move).not.toHaveProperty('needsEvidence');
});

test('A refusal for missing evidence says that the move is legal once the evidence passes', async () => {
  const project = makeProject([tests]);
  await project.trust();
  const agent = await startAgent(project);
  const refusal = await agent.next();
  expect(refusal.code).toBe('EVIDENCE_REQUIRED');
  const move = transitionTexts.to('report', transitionTexts.nextStep());
  expect(refusal.message).toContain(messages.legalWithEvidence(move));
});

test('A change or deletion of a file that git ignores is detected', async () => {
  const project = makeProject([{ id: 'plan', file: { path: 'reports/plan.md', min_bytes: 3 } }]);
  const agent = await startAgent(project);
  project.write('reports/plan.md', 'the plan');
  expect(await agent.collect()).toMatchObject([{ status: 'passed', freshness: 'fresh' }]);
  project.write('reports/plan.md', 'no plan!');
  expect(await agent.next()).toMatchObject({ code: 'EVIDENCE_REQUIRED' });
  expect(await agent.collect()).toMatchObject([{ status: 'passed', freshness: 'fresh' }]);
  project.remove('reports/plan.md');
  expect(await agent.next()).toMatchObject({ code: 'EVIDENCE_REQUIRED' });
  expect(await agent.collect()).toMatchObject([{ status: 'failed' }]);
  project.write('reports/plan.md', 'the plan');
  await agent.collect();
  expect(await agent.next()).toMatchObject({ activity: 'report' });
  project.remove('reports/plan.md');
  const [row] = (await project.host.operator.find({})).sessions;
  expect((await project.host.operator.history(row?.sid ?? '')).evidence).toMatchObject([
    { freshness: 'stale' },
  ]);
});

test('A changed file in a folder without git is detected', async () => {
  const project = makeProject([{ id: 'plan', file: { path: 'plan.md' } }]);
  project.remove('.git');
  const agent = await startAgent(project);
  project.write('plan.md', 'the plan');
  expect(await agent.collect()).toMatchObject([{ status: 'passed', freshness: 'fresh' }]);
  project.remove('plan.md');
  expect(await agent.next()).toMatchObject({ code: 'EVIDENCE_REQUIRED' });
});

test('A collection starts git twice, before the command and after it', async () => {
  const places = mkdtempSync(join(tmpdir(), 'bin-'));
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(places, 'git'), `#!/bin/sh\necho run >> ${places}/log\nexec ${real} "$@"\n`, {
    mode: 0o755,
  });
  const project = makeProject([tests], {
    environment: { PATH: `${places}:${process.env['PATH']}`, HOME: process.env['HOME'] },
  });
  await project.trust();
  const agent = await startAgent(project);
  await agent.collect();
  const counts: number[] = [];
  // The server reuses what it has just read. On a busy machine this can expire too soon, so the test tries several times.
  for (let round = 0; round < 10 && counts.at(-1) !== 2; round += 1) {
    project.write('src/cart.txt', `cart ${round}\n`);
    // Git compares times in whole seconds. It reads a file again if it changed in the second in which git wrote its index.
    await pause(1100);
    writeFileSync(join(places, 'log'), '');
    expect(await agent.collect()).toMatchObject([{ status: 'passed' }]);
    counts.push(readFileSync(join(places, 'log'), 'utf8').split('run').length - 1);
  }
  expect(counts.at(-1), counts.join(', ')).toBe(2);
}, 30_000);

test('Evidence of an activity that the session has left is not collected again', async () => {
  const project = makeProject([tests]);
  await project.trust();
  const agent = await startAgent(project);
  await agent.collect();
  await agent.next();
  project.write('src/cart.txt', 'another cart\n');
  await expect(agent.collect({ evidenceIds: ['tests'] })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    data: { reason: 'activity-left' },
  });
  const { evidence } = (await agent.sessions.status(agent.token)).value;
  expect(evidence).toMatchObject([{ id: 'tests', activity: 'build', freshness: 'stale' }]);
});

test('Two servers that run a check of one session at the same time record both results', async () => {
  const project = makeProject([{ id: 'tests', check: 'slow' }]);
  await project.trust();
  const agent = await startAgent(project);
  const other = agentWith(project.open().sessions, agent.token);
  const found = await Promise.all([agent.collect(), other.collect()]);
  expect(found).toMatchObject([[{ status: 'passed' }], [{ status: 'passed' }]]);
  const [row] = (await project.host.operator.find({})).sessions;
  const events = await project.host.operator.events(row?.sid ?? '');
  expect(events.filter(({ event }) => event.type === 'evidence-collected')).toHaveLength(2);
  expect((await project.host.operator.verify(row?.sid ?? '')).problems).toEqual([]);
  // The other server may have written last, so the agent takes its newest token.
  ({ token: agent.token } = await agent.sessions.status(agent.token));
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});

test('The evidence fails if two checks disturb each other, and can be collected again', async () => {
  const project = makeProject([{ id: 'tests', check: 'alone' }]);
  const command = waitingCommand(project);
  const alone = `test ! -e reports/busy || exit 1; mkdir -p reports; touch reports/busy; ${command.run}; rm reports/busy`;
  project.write('.workflowlookup/checks.yaml', JSON.stringify({ checks: { alone: { run: alone } } }));
  project.commit();
  await project.trust();
  const agent = await startAgent(project);
  const other = agentWith(project.open().sessions, agent.token);
  const first = agent.collect();
  await command.begun();
  expect(await other.collect()).toMatchObject([{ status: 'failed' }]);
  command.letGo();
  await first;
  expect((await agent.collect())[0]?.status).toBe('passed');
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});
