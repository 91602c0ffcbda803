import { verifyChain } from '@workflowlookup/storage/journal';
import { afterAll, describe, expect, it } from 'vitest';
import { openForeignDefinitions } from './foreign-definitions.ts';
import type { FinishedSession } from './obedient-agent.ts';
import { StuckSession, obey } from './obedient-agent.ts';
import { isShown } from './problem-proofs.ts';
import { wanderer } from './wanderer.ts';

/** A folder of activity workflows from another project, which are not in this repository. */
const directory = process.env['WORKFLOWLOOKUP_FOREIGN_DEFINITIONS'] ?? '';
const foreign = directory === '' ? undefined : await openForeignDefinitions(directory);
const { workflows = [], problems = [] } = foreign ?? {};
const seeds = [0, 1, 2];

afterAll(() => foreign?.close());

it('Definitions from other projects are read', ({ skip }) => {
  skip(foreign === undefined, 'Set WORKFLOWLOOKUP_FOREIGN_DEFINITIONS to a folder of activity workflows.');
  expect(workflows.length).toBeGreaterThan(0);
});

describe.each(problems.map((problem) => [problem.file, problem] as const))(
  'the problems in %s',
  (file, { issues }) => {
    it('can be seen in its text', async () => {
      const errors = issues.filter(({ severity }) => severity === 'error');
      const shown = await Promise.all(errors.map((issue) => isShown(directory, file, issue)));
      expect(shown).toContain(true);
      expect(shown).not.toContain(false);
    });
  },
);

describe.each(workflows.map((workflow) => [workflow.id, workflow] as const))('%s', (id, workflow) => {
  const broken = problems.filter((problem) => problem.id === id).flatMap(({ issues }) => issues);
  const leadsNowhere = broken.some(({ code }) => code === 'unknown-activity');

  it.skipIf(leadsNowhere)('can be completed in an advisory session', async () => {
    for (const { end } of await walks('advisory')) expect(end.status).toBe('completed');
  });

  it.skipIf(broken.length > 0)('can be completed in a strict session without a warning', async () => {
    for (const { warnings } of await walks('strict')) expect(warnings).toEqual([]);
  });

  /**
   * Returns the completed sessions, at least one. A session may also end nowhere because the transitions need another
   * value of a variable than the one that an answer set.
   */
  async function walks(enforcement: 'advisory' | 'strict'): Promise<readonly FinishedSession[]> {
    const finished: FinishedSession[] = [];
    for (const seed of seeds) {
      const ended = await walk(enforcement, seed).catch((error: unknown) => {
        if (error instanceof StuckSession && needsOther(error)) return undefined;
        throw error;
      });
      if (ended !== undefined) finished.push(ended);
    }
    expect(finished).not.toEqual([]);
    return finished;
  }

  /** Returns whether transitions of the last two activities read a variable that the agent must not set. */
  function needsOther({ path, kept }: StuckSession): boolean {
    const read = path
      .slice(-2)
      .map((last) => workflow.activities.find((one) => one.id === last)?.definition.transitions);
    return [...kept].some((name) => JSON.stringify(read).includes(`"${name}"`));
  }

  /** Completes a session, and checks that its journal is intact. */
  async function walk(enforcement: 'advisory' | 'strict', seed: number): Promise<FinishedSession> {
    if (foreign === undefined) throw new Error('There are no foreign definitions.');
    const finished = await obey(foreign.sessions(enforcement), id, wanderer(workflow, seed));
    const { sid, end, path, answers } = finished;
    expect(end).toMatchObject({ status: 'completed', next: [] });
    const loaded = await foreign.store.load(sid);
    const { revision, hash } = loaded?.session ?? {};
    expect(verifyChain(sid, await foreign.store.events(sid))).toEqual({ ok: true, head: { revision, hash } });
    // The start and the end are one event each, each activity is one, and each checkpoint is two.
    expect(revision).toBe(2 + path.length + 2 * answers.length);
    return finished;
  }
});
