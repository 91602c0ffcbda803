import type { WorkflowInsight } from '@workflowlookup/core/operator';
import { expect, test } from 'vitest';
import type { SessionsContext } from '../../src/sessions/context.ts';
import { insights } from '../../src/sessions/insights.ts';

const spread = { count: 0, total: 0, median: 0, p90: 0 };
const lists = [
  'outcomes',
  'refusals',
  'activities',
  'agents',
  'agentRefusals',
  'largest',
  'people',
  'evidence',
];

/** Returns what the command prints about these workflows. */
async function printed(workflows: readonly Partial<WorkflowInsight>[]): Promise<string> {
  const found = {
    ...Object.fromEntries([...lists, 'hooks'].map((name) => [name, []])),
    sessions: 7,
    followed: { sessions: 0, of: 0 },
    waiting: { checkpoints: 0, waits: spread },
    calls: spread,
    readTokens: { ...spread, sessions: 0 },
    duration: spread,
    workflows,
  };
  let text = '';
  const context = {
    operator: { insights: () => Promise.resolve(found) },
    state: { isMade: () => true },
    answer: (_value: unknown, say: () => string) => void (text = say()),
  };
  await insights(context as unknown as SessionsContext, undefined, {});
  return text;
}

test('Workflows are compared by the outcomes of their sessions, as shares of the ended ones', async () => {
  const none = { success: 0, failure: 0, stopped: 0, other: 0, running: 0, refused: 0 };
  const errands = {
    ...none,
    workflowId: 'errand',
    sessions: 5,
    success: 1,
    failure: 3,
    running: 1,
    refused: 9,
  };
  const trip = { ...none, workflowId: 'trip', sessions: 2, running: 2 };
  const rows = (await printed([errands, trip])).split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(rows).toContainEqual(['errand', '5', '1', '4', '1 (25 %)', '3 (75 %)', '0', '0', '9']);
  expect(rows).toContainEqual(['trip', '2', '2', '0', '0', '0', '0', '0', '0']);
  // With one workflow, the figures would only repeat those of all sessions.
  expect(await printed([errands])).not.toContain('errand');
});
