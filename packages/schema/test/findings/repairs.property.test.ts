import { applyEdits, createReader } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';

const json = `{
  "id": "a-flow", "name": "A flow", "description": "For tests.",
  "variables": [{ "name": "hot", "type": "boolean", "required": true }],
  "steps": [
    { "id": "plan", "title": "Plan", "prompt": "Plan it.", "guidance": ["Be brief"], "approver": "human" },
    { "id": "again", "type": "loop", "title": "Again", "loop": { "type": "for", "count": 2, "maxIterations": 3 },
      "body": [{ "id": "once", "title": "Once", "prompt": "Do it.", "askForFiles": false }] }
  ]
}`;
const yaml = `# A flow.
id: a-flow
name: &name A flow
description: |
  For tests.
enforcement: 'strict' # always
steps:
  - {id: plan, title: "Plan", prompt: *name, guidance: [Be brief]}
  - id: again
    type: loop
    title: Again
    loop: {type: forEach, items: files, maxIterations: 3}
    body:
      - id: once
        title: Once
        prompt: >-
          Do it
          again.
`;

/** Small damage: characters that are removed or inserted. */
const damage = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.integer({ min: 0, max: 2 }),
    put: fc.constantFrom('', '', 'x', '"', ' ', '1', ',', ':', 'true', '\u200B', '-', 'e'),
  }),
  { minLength: 1, maxLength: 3 },
);

function damaged(text: string, wounds: readonly { at: number; cut: number; put: string }[]): string {
  return wounds.reduce((before, { at, cut, put }) => {
    const place = Math.floor(at * before.length);
    return before.slice(0, place) + put + before.slice(place + cut);
  }, text);
}

test('A repair leaves the text readable and removes the finding', async () => {
  const read = createReader();
  const numRuns = isLong ? 10_000 : 500;
  let repaired = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('json', 'yaml'), damage, async (format, wounds) => {
      const text = damaged(format === 'json' ? json : yaml, wounds);
      const before = (await read({ text, format })).issues;
      const fixable = before.filter(({ edits }) => edits !== undefined);
      if (fixable.length === 0) return;
      repaired += 1;
      const mended = applyEdits(
        text,
        fixable.flatMap(({ edits = [] }) => edits),
      );
      expect(mended).not.toBe(text);
      const after = (await read({ text: mended, format })).issues;
      const isUnreadable = ({ code }: { code: string }): boolean =>
        ['syntax-error', 'duplicate-key', 'unsupported-syntax'].includes(code);
      if (!before.some(isUnreadable)) expect(after.filter(isUnreadable)).toEqual([]);
      // Another mistake in the same word, or a missing comma, may be found only after this repair.
      if (fixable.some(isUnreadable)) return;
      const left = new Set(after.map(({ code, pointer }) => `${code} ${pointer}`));
      for (const { code, pointer } of fixable) expect(left).not.toContain(`${code} ${pointer}`);
    }),
    { numRuns },
  );
  expect(repaired).toBeGreaterThan(numRuns / 100);
});
