import { describe, expect, it } from 'vitest';
import { explore } from '../../src/exploration/explore.ts';
import { stops } from '../../src/messages.ts';
import { workflow } from '../../../core/test/support/step-workflows.ts';
import { findingsOf } from './findings-of.ts';

describe('the exploration of a step workflow', () => {
  it('finds nothing if every step can be reached, and reports that it was complete', () => {
    const found = explore(
      workflow([
        { id: 'measure', prompt: 'Set `size` to small or large.' },
        { id: 'split', runCondition: 'size == "large"' },
        'finish',
      ]),
    );
    expect(found).toEqual({
      findings: [],
      coverage: { sites: { total: 3, missed: [] }, branches: { total: 2, missed: [] } },
      states: expect.any(Number),
    });
  });

  it('finds a condition that is never true because nothing sets its variable to such a value', () => {
    const found = explore(
      workflow([{ id: 'split', runCondition: 'ready == "maybe"' }, 'finish'], {
        variables: [{ name: 'ready', type: 'boolean', default: false }],
      }),
    );
    expect(findingsOf(found)).toEqual([
      {
        code: 'never-holds',
        pointer: '/steps/0/runCondition',
        message: expect.stringContaining("step 'split'"),
      },
    ]);
  });

  it('sees in an iteration what the previous one set', () => {
    const found = explore(
      workflow([
        { id: 'list', prompt: 'Set `files`.' },
        {
          id: 'each',
          type: 'loop',
          title: 'Each',
          loop: { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 },
          body: [{ id: 'move', title: 'Move it', runCondition: 'stopped != true', prompt: 'Set `stopped`.' }],
        },
      ]),
    );
    expect(findingsOf(found)).toEqual([]);
  });

  it('finds a step in a loop that only runs if the loop does not', () => {
    const found = explore(
      workflow([
        { id: 'measure', prompt: 'Set `size` to small or large.' },
        {
          id: 'each',
          type: 'loop',
          runCondition: 'size == "large"',
          loop: { type: 'for', count: 2, maxIterations: 2 },
          body: [
            { id: 'cut', title: 'Cut', prompt: 'Cut it.' },
            { id: 'leave', title: 'Leave', prompt: 'Leave it.', runCondition: 'size == "small"' },
          ],
        },
      ]),
    );
    expect(findingsOf(found)).toMatchObject([
      { code: 'never-holds', pointer: '/steps/1/body/1/runCondition' },
    ]);
  });

  it('tries items of every kind that the conditions distinguish', () => {
    const files = { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 50 } as const;
    const drop = { id: 'drop', title: 'Drop', prompt: 'p' };
    const inner = { id: 'parts', type: 'loop', title: 'Parts', body: [{ ...drop, id: 'part' }] } as const;
    const bodies = [
      [{ ...drop, runCondition: 'file.risk.level == "high" and file.size > 3' }],
      [{ ...drop, runCondition: 'file == "all"' }],
      [{ ...inner, loop: { ...files, items: 'file.parts', itemVar: 'part' } }],
      // The items of both loops have the same variable name.
      [{ ...inner, loop: { ...files, items: 'file.parts' } }],
      Array.from('abcdefghijklmnopqrstuvwxyz', (id) => ({ ...drop, id, runCondition: `file.${id} == "x"` })),
    ];
    for (const body of bodies) {
      const found = explore(
        workflow([
          { id: 'list', prompt: 'Set `files`.' },
          { id: 'each', type: 'loop', loop: files, body },
        ]),
      );
      expect(found).toMatchObject({
        findings: [],
        coverage: { sites: { missed: [] }, branches: { missed: [] } },
      });
      expect(found.limit).toBeUndefined();
    }
  });

  it('finds a condition that is always true', () => {
    const found = explore(
      workflow([
        { id: 'ask', prompt: 'Set `size` to small or large.' },
        {
          id: 'each',
          type: 'loop',
          runCondition: 'size == "large"',
          loop: { type: 'for', count: 2, maxIterations: 2 },
          body: [{ id: 'cut', title: 'Cut', prompt: 'Cut it.', runCondition: 'size == "large"' }],
        },
      ]),
    );
    expect(findingsOf(found)).toMatchObject([
      { code: 'always-holds', pointer: '/steps/1/body/0/runCondition' },
    ]);
  });

  it('finds a loop that ends only at its maximum', () => {
    const repeat = (prompt: string) =>
      workflow([
        { id: 'begin', prompt: 'Set `green` to false.' },
        {
          id: 'repair',
          type: 'loop',
          loop: { type: 'while', condition: 'green != true', maxIterations: 50 },
          body: [{ id: 'mend', title: 'Mend', prompt }],
        },
      ]);
    expect(findingsOf(explore(repeat('Mend it. Set `green` to true once it holds.')))).toEqual([]);
    expect(findingsOf(explore(repeat('Mend it.')))).toMatchObject([
      { code: 'endless-loop', pointer: '/steps/1/loop' },
    ]);
    const fixed = workflow(
      [
        {
          id: 'repair',
          type: 'loop',
          loop: { type: 'until', condition: 'green == true', maxIterations: 50 },
          body: [{ id: 'mend', title: 'Mend', prompt: 'Mend it.' }],
        },
        { id: 'after', prompt: 'Set `green` to false.' },
      ],
      { variables: [{ name: 'green', type: 'boolean', default: false }] },
    );
    expect(findingsOf(explore(fixed))).toMatchObject([{ code: 'endless-loop', pointer: '/steps/0/loop' }]);
  });

  it('counts a variable as set if a text gives a value for it', () => {
    const found = explore(
      workflow([
        { id: 'begin', prompt: "Begin with status='pending' and tries = 0." },
        {
          id: 'poll',
          type: 'loop',
          loop: { type: 'while', condition: 'status != "done" && tries <= 3', maxIterations: 9 },
          body: [
            {
              id: 'ask',
              title: 'Ask',
              prompt: "Ask. Update 'status' and 'tries'; done if status == \"done\".",
            },
          ],
        },
      ]),
    );
    expect(findingsOf(found)).toEqual([]);
  });

  it('finds a loop whose list may be unset when it is reached', () => {
    const found = explore(
      workflow([
        { id: 'maybe', runCondition: 'deep == true', prompt: 'Set `files` to the files.' },
        {
          id: 'each',
          type: 'loop',
          loop: { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 },
          body: [{ id: 'open', title: 'Open', prompt: 'Open {{file}}.' }],
        },
      ]),
    );
    expect(findingsOf(found)).toEqual([
      {
        code: 'stuck',
        pointer: '',
        message: expect.stringMatching(/'each'.*'files'/),
      },
    ]);
  });

  it('finds a variable that a prompt shows before anything sets it', () => {
    const show = (prompt: string) =>
      workflow(
        [
          { id: 'show', prompt: 'Tell {{ticket}} about {{files.0}}.' },
          { id: 'after', prompt },
        ],
        {
          variables: [
            { name: 'ticket', type: 'string' },
            { name: 'files', type: 'array', required: true },
          ],
        },
      );
    const unset = [{ code: 'unset-variable', pointer: '/steps/0/prompt' }];
    expect(findingsOf(explore(show('Be done.')))).toMatchObject(unset);
    expect(findingsOf(explore(show('Set `ticket`.')))).toMatchObject(unset);
  });
});

describe('an incomplete exploration', () => {
  it('says that there is more, and reports nothing about what it did not reach', () => {
    const steps = Array.from({ length: 12 }, (_, at) => ({
      id: `step-${at}`,
      prompt: `Set \`v${at}\`.`,
      runCondition: at === 0 ? 'start == 1' : `v${at - 1} == 1`,
    }));
    const found = explore(workflow(steps), { maxStates: 20 });
    expect(found.limit).toBe(stops.tooManyStates(20));
    expect(found.findings).toEqual([]);
    expect(found.states).toBeLessThan(30);
  });

  it('says that it knows no text that matches a pattern', () => {
    const found = explore(
      workflow([{ id: 'odd', runCondition: { var: 'code', matches: '^Zq[0-9]{9}$' } }, 'finish']),
    );
    expect(found.limit).toBe(stops.noFittingText('code'));
    expect(found.findings).toEqual([]);
  });
});
