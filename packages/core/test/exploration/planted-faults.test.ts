import { describe, expect, it } from 'vitest';
import type { Exploration } from '../../src/exploration/exploration.ts';
import { explore } from '../../src/exploration/explore.ts';
import { workflow } from '../fixtures.ts';
import { activityWorkflow } from '../session/fixtures.ts';

/** What was found, without what a person does about it. */
function told({ findings }: Exploration): readonly object[] {
  return findings.map(({ code, pointer, message }) => ({ code, pointer, message }));
}

const toEnd = { transitions: [{ to: 'end' }] };

describe('exploring a step workflow', () => {
  it('finds nothing where every step can come, and says that it went everywhere', () => {
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

  it('finds a condition that never holds: nothing sets its variable to such a value', () => {
    const found = explore(
      workflow([{ id: 'split', runCondition: 'ready == "maybe"' }, 'finish'], {
        variables: [{ name: 'ready', type: 'boolean', default: false }],
      }),
    );
    expect(told(found)).toEqual([
      {
        code: 'never-holds',
        pointer: '/steps/0/runCondition',
        message: `'ready == "maybe"' never holds when it is looked at: step 'split' is never reached`,
      },
    ]);
  });

  it('finds a step in a loop that only runs where the step does not', () => {
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
    expect(told(found)).toMatchObject([{ code: 'never-holds', pointer: '/steps/1/body/1/runCondition' }]);
  });

  it('finds a condition that always holds', () => {
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
    expect(told(found)).toMatchObject([{ code: 'always-holds', pointer: '/steps/1/body/0/runCondition' }]);
  });

  it('finds a loop that only its bound ends', () => {
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
    expect(told(explore(repeat('Mend it. Set `green` to true once it holds.')))).toEqual([]);
    expect(told(explore(repeat('Mend it.')))).toMatchObject([
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
    expect(told(explore(fixed))).toMatchObject([
      { code: 'never-holds', pointer: '/steps/0/loop/condition' },
      { code: 'endless-loop', pointer: '/steps/0/loop' },
    ]);
  });

  it('finds a loop whose list nobody may have set when it comes', () => {
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
    expect(told(found)).toEqual([
      {
        code: 'stuck',
        pointer: '',
        message:
          "A session can't go on from the start: Loop 'each' needs 'files' in the context to be an array, and found nothing there.",
      },
    ]);
  });

  it('finds a variable that a prompt shows and nothing has set by then', () => {
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
    expect(told(explore(show('Be done.')))).toMatchObject(unset);
    expect(told(explore(show('Set `ticket`.')))).toMatchObject(unset);
  });
});

describe('exploring an activity workflow', () => {
  it('finds nothing where every way can be taken', () => {
    const found = explore(
      activityWorkflow([
        {
          id: 'plan',
          steps: [
            { id: 'write', description: 'Set `size`.' },
            { id: 'ask', checkpoint: 'go' },
          ],
          checkpoints: [
            {
              id: 'go',
              name: 'Go?',
              message: 'Go?',
              options: [
                { id: 'yes', label: 'Yes' },
                { id: 'no', label: 'No', effect: { transitionTo: 'plan' } },
              ],
            },
          ],
          transitions: [
            { to: 'split', condition: 'size == "large"' },
            { to: 'finish', isDefault: true },
          ],
        },
        { id: 'split', transitions: [{ to: 'finish' }] },
        { id: 'finish' },
      ]),
    );
    expect(told(found)).toEqual([]);
    expect(found.coverage).toEqual({
      sites: { total: 5, missed: [] },
      branches: { total: 4, missed: [] },
    });
  });

  it('finds an activity that no session reaches, and no step in it', () => {
    const found = explore(
      activityWorkflow([
        { id: 'plan', ...toEnd },
        { id: 'lost', steps: [{ id: 'seek' }], ...toEnd },
      ]),
    );
    expect(told(found)).toEqual([
      { code: 'unreachable', pointer: '/id', message: "No session reaches activity 'lost'" },
    ]);
  });

  it('finds an activity that leads nowhere, with values that show it', () => {
    const found = explore(
      activityWorkflow(
        [
          {
            id: 'plan',
            steps: [{ id: 'rate', description: 'Set `risk`.' }],
            transitions: [
              { to: 'careful', condition: 'risk == "high"' },
              { to: 'quick', condition: 'risk == "low"' },
            ],
          },
          { id: 'careful', ...toEnd },
          { id: 'quick', ...toEnd },
        ],
        { variables: [{ name: 'risk', type: 'string' }] },
      ),
    );
    expect(told(found)).toEqual([
      {
        code: 'missing-transition',
        pointer: '/transitions',
        message: `From activity 'plan' no way is open with risk = "something else": the session ends there`,
      },
    ]);
  });

  it('finds a round that nothing leads out of', () => {
    const found = explore(
      activityWorkflow([
        { id: 'plan', transitions: [{ to: 'work' }] },
        { id: 'work', transitions: [{ to: 'check' }] },
        { id: 'check', transitions: [{ to: 'work' }] },
      ]),
    );
    expect(told(found)).toMatchObject([
      { code: 'endless', message: expect.stringContaining('it goes round work, check') },
    ]);
  });

  it('finds a checkpoint that every answer leads back to', () => {
    const back = (id: string) => ({ id, label: id, effect: { transitionTo: 'plan' } });
    const found = explore(
      activityWorkflow([
        {
          id: 'plan',
          steps: [{ id: 'ask', checkpoint: 'go' }],
          checkpoints: [{ id: 'go', name: 'Go?', message: 'Go?', options: [back('yes'), back('no')] }],
          ...toEnd,
        },
      ]),
    );
    expect(told(found)).toEqual([
      {
        code: 'impassable-gate',
        pointer: '/id',
        message: "Nobody gets past checkpoint 'go' of activity 'plan': every answer leads back to it",
      },
    ]);
  });

  it('finds a loop over activities that only its bound ends', () => {
    const found = explore(
      activityWorkflow(
        [
          {
            id: 'review',
            loops: [
              { id: 'again', name: 'Again', type: 'while', condition: 'open == true', activities: ['fix'] },
            ],
            transitions: [{ to: 'close', condition: 'open == false' }],
          },
          { id: 'fix' },
          {
            id: 'close',
            steps: [{ id: 'note', actions: [{ action: 'set', target: 'open', value: false }] }],
          },
        ],
        { variables: [{ name: 'open', type: 'boolean', defaultValue: true }] },
      ),
    );
    expect(told(found).filter((one) => 'code' in one && one.code === 'endless-loop')).toMatchObject([
      { pointer: '/loops/0' },
    ]);
  });

  it('tells a condition that stands in several places once', () => {
    const never = { condition: 'decision == "never"' };
    const found = explore(
      activityWorkflow([
        {
          id: 'plan',
          steps: [
            { id: 'one', ...never },
            { id: 'two', ...never },
            { id: 'three', condition: 'decision != "never"' },
          ],
          checkpoints: [
            {
              id: 'go',
              name: 'Go?',
              message: 'Go?',
              options: [{ id: 'yes', label: 'Yes', effect: { setVariable: { decision: 'go' } } }],
            },
          ],
          ...toEnd,
        },
      ]),
    );
    expect(told(found)).toMatchObject([
      {
        code: 'never-holds',
        pointer: '/steps/0/condition',
        message: expect.stringContaining('one more place'),
      },
    ]);
  });

  it('sees what switches a mode on, and what the mode skips', () => {
    const found = explore(
      activityWorkflow(
        [
          { id: 'plan', transitions: [{ to: 'research' }] },
          { id: 'research', transitions: [{ to: 'write' }] },
          { id: 'write', steps: [{ id: 'short', when: 'quick == true' }], ...toEnd },
        ],
        {
          modes: [{ id: 'quick', name: 'Quick', activationVariable: 'quick', skipActivities: ['research'] }],
        },
      ),
    );
    expect(told(found)).toEqual([]);
  });
});

describe('what exploring leaves open', () => {
  it('says that there is more than it looked at, and nothing of what it did not reach', () => {
    const steps = Array.from({ length: 12 }, (_, at) => ({
      id: `step-${at}`,
      prompt: `Set \`v${at}\`.`,
      runCondition: at === 0 ? 'start == 1' : `v${at - 1} == 1`,
    }));
    const found = explore(workflow(steps), { maxStates: 20 });
    expect(found.limit).toBe('The workflow has more than the 20 states that are looked at.');
    expect(found.findings).toEqual([]);
    expect(found.states).toBeLessThan(30);
  });

  it('says that it knows no text that a pattern matches', () => {
    const found = explore(
      workflow([{ id: 'odd', runCondition: { var: 'code', matches: '^Zq[0-9]{9}$' } }, 'finish']),
    );
    expect(found.limit).toContain("the pattern 'code' is compared with");
    expect(found.findings).toEqual([]);
  });
});
