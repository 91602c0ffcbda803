import type { Evidence } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import type { Agent, Project } from '../../../../packages/host/test/support/project.ts';
import { makeProject, startAgent } from '../../../../packages/host/test/support/project.ts';
import type { BoundSession } from '../../src/hooks/hook/bindings.ts';
import { createHookEngine } from '../../src/hooks/hook/sessions.ts';
import { tokenIn } from '../../src/hooks/hook/tools.ts';

const observed: Evidence = { id: 'tests', check: 'test', level: 'observed' };
const command = './run-tests.sh';

/** Calls the engine as the hooks do before and after a command. `during` is called in between. */
async function runSeen(
  { folder, stateDirectory }: Project,
  { token }: Agent,
  { run = command, exitCode = 0, during = (): void => undefined } = {},
): Promise<readonly string[] | undefined> {
  const engine = createHookEngine(stateDirectory, { PATH: process.env['PATH'], HOME: process.env['HOME'] });
  const bound: BoundSession = { sid: tokenIn(`session_token: ${token}`)?.sid ?? '', token, at: '' };
  const tree = await engine.treeBefore(bound, { folder, command: run });
  if (tree === undefined) return undefined;
  during();
  return engine.recordCheck(bound, { folder, command: run, exitCode, tree });
}

async function opened(evidence: Evidence): Promise<{ readonly project: Project; readonly agent: Agent }> {
  const project = makeProject([evidence]);
  await project.trust();
  return { project, agent: await startAgent(project) };
}

test('A passed check that the client ran is evidence of the level observed, until a file changes', async () => {
  const { project, agent } = await opened(observed);
  expect(await agent.next()).toMatchObject({ code: 'EVIDENCE_REQUIRED' });
  expect(await runSeen(project, agent)).toEqual(['tests']);
  project.write('src/cart.txt', 'another cart\n');
  agent.token = await tokenNow(agent);
  expect(await agent.next()).toMatchObject({ code: 'EVIDENCE_REQUIRED' });
  project.write('src/cart.txt', 'a cart\n');
  expect(await agent.next()).toMatchObject({ activity: 'report' });
});

test('A failed check that the client ran is recorded as failed', async () => {
  const { project, agent } = await opened(observed);
  expect(await runSeen(project, agent, { exitCode: 1 })).toEqual(['tests']);
  agent.token = await tokenNow(agent);
  expect((await agent.sessions.status(agent.token)).value.evidence).toMatchObject([
    { id: 'tests', status: 'failed', recorded: { result: { exitCode: 1 } } },
  ]);
  expect(await agent.next()).toMatchObject({ code: 'EVIDENCE_REQUIRED' });
});

test('Nothing is recorded if a file changes while the check runs', async () => {
  const { project, agent } = await opened(observed);
  const during = (): void => project.write('src/cart.txt', 'another cart\n');
  expect(await runSeen(project, agent, { during })).toEqual([]);
});

test('Nothing is recorded for another command', async () => {
  const { project, agent } = await opened(observed);
  expect(await runSeen(project, agent, { run: 'true' })).toBeUndefined();
});

test('Nothing is recorded for untrusted checks', async () => {
  const { project, agent } = await opened(observed);
  project.write('.workflowlookup/checks.yaml', 'checks:\n  test: {run: "true"}\n');
  expect(await runSeen(project, agent, { run: 'true' })).toBeUndefined();
});

test.each<Evidence>([
  { id: 'tests', check: 'test' },
  { id: 'tests', check: 'test', level: 'ci' },
  { ...observed, tests: 'not-fewer' },
  { ...observed, min: 1 },
  { ...observed, coverage: { min: 1 } },
])(
  'Nothing is recorded for evidence that needs more than an exit code, or a higher level: %j',
  async (evidence) => {
    const { project, agent } = await opened(evidence);
    expect(await runSeen(project, agent)).toBeUndefined();
  },
);

/** Returns the current token, which an agent gets in a conflict after somebody else has written to the session. */
async function tokenNow({ sessions, token }: Agent): Promise<string> {
  try {
    return (await sessions.move(token, {})).token;
  } catch (error) {
    const { data } = error as { readonly data?: { readonly session_token?: string } };
    return data?.session_token ?? token;
  }
}
