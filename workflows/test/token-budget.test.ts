import { createSessions } from '@workflowlookup/core/sessions';
import { createReferenceCodec } from '@workflowlookup/core/tokens';
import type { Sessions } from '@workflowlookup/core/sessions';
import { createMemorySessionStore, createMemoryStore } from '@workflowlookup/storage/memory';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { readBundledFolders } from './support/bundled-folders.ts';

const readings = await readBundledFolders();
const workflows = readings.flatMap(({ workflow }) => workflow ?? []);

describe.each(workflows.map(({ id }) => ({ id })))(
  'the first texts for an agent in a session on $id',
  ({ id }) => {
    test('have few tokens of operations for an orchestrator and for a worker', async () => {
      const sessions = sessionsOnBundled();
      const { token } = await sessions.start({ agentId: 'agent', workflowId: id });
      const orchestrator = await sessions.workflow(token, { summary: true, full: false });
      const entered = await sessions.move(token, {});
      const worker = await sessions.activity(entered.token, { full: false });
      expect(countTokens(orchestrator.value.bundle)).toBeLessThan(2500);
      expect(countTokens(worker.value.bundle)).toBeLessThan(1500);
    });

    test('have few tokens for an agent that works alone, and do not mention other agents', async () => {
      const sessions = sessionsOnBundled();
      const { value } = await sessions.start({ agentId: 'agent', workflowId: id, includeActivity: true });
      if (value.arrival?.kind !== 'activity')
        throw new Error('The session did not enter its first activity.');
      const { bundle } = value.arrival.activity;
      expect(countTokens(bundle)).toBeLessThan(800);
      expect(bundle).toContain('checkpoint-discipline');
      expect(bundle).not.toMatch(/orchestrator-discipline|yield-checkpoint|finalize-activity/);
    });
  },
);

test('The guide for a new agent has few tokens', async () => {
  const { guide = '' } = await sessionsOnBundled().discover();
  expect(guide).toContain('include_activity');
  expect(countTokens(guide)).toBeLessThan(250);
});

function sessionsOnBundled(): Sessions {
  const key = { id: 'k', secret: new Uint8Array(32).fill(7) };
  const keys = { signing: key, verifying: [key] };
  const vault = { store: createMemorySessionStore(), keys, tokens: createReferenceCodec(keys) };
  return createSessions({
    workflows: createMemoryStore(workflows),
    vault: () => Promise.resolve(vault),
    policy: {
      enforcement: 'advisory',
      minResponseMs: 3000,
      gates: 'declared',
      trustElicitation: false,
      humanAnswersWith: (sid) => sid,
    },
    caller: { principal: 'local' },
  });
}
