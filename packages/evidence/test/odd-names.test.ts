import type { Evidence } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { makeProject } from './support/project.ts';

const odd = ['a\0b', '--output=x', '-x', '$(touch x)', '../../etc/passwd', '\n', 'x'.repeat(60_000)];

test.each(odd)(
  'A variable that is not the name of a branch or a file causes a reason and no crash: %.20j',
  async (name) => {
    const collector = makeProject({ 'a.txt': 'one\n' }).collector();
    const all: readonly Evidence[] = [
      { id: 'branch', git: { ahead_of: name } },
      { id: 'scope', changes: { within: ['**'], since: name } },
      { id: 'file', file: { path: name } },
    ];
    for (const evidence of all)
      expect(await collector.collect({ key: evidence.id, evidence, waitMs: 20_000 })).toMatchObject({
        result: { outcome: 'failed', reasons: [expect.any(String)] },
      });
    await collector.close();
  },
);
