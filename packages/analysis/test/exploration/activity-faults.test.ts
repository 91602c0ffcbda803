import { describe, expect, it } from 'vitest';
import { explore } from '../../src/exploration/explore.ts';
import { findings } from '../../src/messages.ts';
import { activityWorkflow } from '../../../core/test/support/sessions.ts';
import { findingsOf } from './findings-of.ts';

const toEnd = { transitions: [{ to: 'end' }] };

describe('the exploration of an activity workflow', () => {
  it('finds nothing if every transition can be taken', () => {
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
    expect(findingsOf(found)).toEqual([]);
    expect(found.coverage).toEqual({
      sites: { total: 5, missed: [] },
      branches: { total: 4, missed: [] },
    });
  });

  it('accepts a condition that leaves a step out until a checkpoint of its activity is answered', () => {
    const setsPlan = [{ id: 'yes', label: 'Yes', effect: { setVariable: { plan: 'big' } } }];
    const ask = (variable: string) =>
      activityWorkflow([
        {
          id: 'start',
          exitActions: [{ action: 'set', target: 'other', value: 'big' }],
          transitions: [{ to: 'plan' }],
        },
        {
          id: 'plan',
          steps: [
            { id: 'ask', checkpoint: 'go' },
            { id: 'record', when: `${variable} == "big"` },
          ],
          checkpoints: [{ id: 'go', name: 'Go?', message: 'Go?', options: setsPlan }],
          ...toEnd,
        },
      ]);
    expect(findingsOf(explore(ask('plan')))).toEqual([]);
    expect(findingsOf(explore(ask('other')))).toMatchObject([{ code: 'always-holds' }]);
  });

  it('includes options that require a note', () => {
    const change = {
      id: 'change',
      label: 'Change it',
      note: 'required',
      effect: { transitionTo: 'mend' },
    } as const;
    const checkpoints = [{ id: 'go', name: 'Go?', message: 'Go?', options: [change] }];
    const found = explore(
      activityWorkflow([
        { id: 'plan', steps: [{ id: 'ask', checkpoint: 'go' }], checkpoints, ...toEnd },
        { id: 'mend' },
      ]),
    );
    expect(findingsOf(found)).toEqual([]);
  });

  it('finds an unreachable activity, and reports none of its steps', () => {
    const found = explore(
      activityWorkflow([
        { id: 'plan', ...toEnd },
        { id: 'lost', steps: [{ id: 'seek' }], ...toEnd },
      ]),
    );
    expect(findingsOf(found)).toEqual([
      { code: 'unreachable', pointer: '/id', message: findings.unreachable("activity 'lost'").message },
    ]);
  });

  it('finds an activity without a way out, with values that lead there', () => {
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
    expect(findingsOf(found)).toEqual([
      {
        code: 'missing-transition',
        pointer: '/transitions',
        message: findings.missingTransition('plan', [['risk', 'something else']]).message,
      },
    ]);
  });

  it('finds a cycle without a way out', () => {
    const found = explore(
      activityWorkflow([
        { id: 'plan', transitions: [{ to: 'work' }] },
        { id: 'work', transitions: [{ to: 'check' }] },
        { id: 'check', transitions: [{ to: 'work' }] },
      ]),
    );
    expect(findingsOf(found)).toMatchObject([
      { code: 'endless', message: expect.stringContaining('work, check') },
    ]);
  });

  it('finds a checkpoint whose every answer leads back to it', () => {
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
    expect(findingsOf(found)).toEqual([
      {
        code: 'impassable-checkpoint',
        pointer: '/checkpoints/0',
        message: findings.impassable('go', "activity 'plan'").message,
      },
    ]);
  });

  it('reports the real obstacle if a checkpoint could be asked forever', () => {
    const found = explore(
      activityWorkflow(
        [
          {
            id: 'plan',
            checkpoints: [
              { id: 'sure', name: 'Sure?', message: 'Sure?', options: [{ id: 'yes', label: 'Yes' }] },
              { id: 'again', name: 'Again?', message: 'Again?', options: [{ id: 'yes', label: 'Yes' }] },
            ],
            transitions: [{ to: 'build', condition: 'big == true' }],
          },
          { id: 'build', required: true },
        ],
        { variables: [{ name: 'big', type: 'boolean', defaultValue: false }] },
      ),
    );
    expect(findingsOf(found).filter(({ code }) => code === 'stuck')).toMatchObject([
      { message: expect.stringContaining('build') },
    ]);
    expect(findingsOf(found).map(({ code }) => code)).not.toContain('impassable-checkpoint');
  });

  it('assumes that skills of other workflows may set variables that texts show', () => {
    const show = {
      id: 'show',
      checkpoints: [
        { id: 'go', name: 'Go?', message: 'Go to {folder}?', options: [{ id: 'yes', label: 'Yes' }] },
      ],
    };
    const variables = [{ name: 'folder', type: 'string' }] as const;
    const late = { id: 'late', steps: [{ id: 'find', description: 'Set `folder`.' }] };
    const led = { ...show, transitions: [{ to: 'late' }] };
    expect(findingsOf(explore(activityWorkflow([{ ...show, ...toEnd }], { variables })))).toEqual([]);
    expect(findingsOf(explore(activityWorkflow([led, { ...late, ...toEnd }], { variables })))).toMatchObject([
      { code: 'unset-variable', pointer: '/checkpoints/0/message' },
    ]);
  });

  it('requires no value for the conditions of a skipped activity if the variable may still change', () => {
    const found = explore(
      activityWorkflow(
        [
          { id: 'begin', transitions: [{ to: 'draft' }] },
          {
            id: 'draft',
            transitions: [{ to: 'check' }],
          },
          {
            id: 'check',
            required: false,
            transitions: [
              { to: 'draft', condition: 'fits == false' },
              { to: 'close', isDefault: true },
            ],
          },
          { id: 'close', ...toEnd },
        ],
        {
          rules: ['Set `fits` as soon as it is known.'],
          modes: [{ id: 'quick', name: 'Quick', activationVariable: 'quick', skipActivities: ['check'] }],
        },
      ),
    );
    expect(findingsOf(found)).toEqual([]);
  });

  it('finds a loop over activities that ends only at its maximum', () => {
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
    expect(findingsOf(found).filter(({ code }) => code === 'endless-loop')).toMatchObject([
      { pointer: '/loops/0' },
    ]);
  });

  it('reports a condition that is used in several places only once', () => {
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
    expect(findingsOf(found)).toMatchObject([
      {
        code: 'never-holds',
        pointer: '/steps/0/condition',
        message: expect.stringMatching(/\b1\b/),
      },
    ]);
  });

  it('takes into account what turns a mode on, and what the mode skips', () => {
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
    expect(findingsOf(found)).toEqual([]);
  });

  describe('reaches an activity that may be skipped, depending on who decided:', () => {
    const leaving = [{ id: 'go', label: 'Go', effect: { transitionTo: 'late', skipActivities: ['late'] } }];
    const naming = [{ id: 'go', label: 'Go', effect: { transitionTo: 'late' } }];
    const person = { id: 'person', name: 'Go?', message: 'Go?', approver: 'human' as const, options: naming };
    const anybody = { id: 'anybody', name: 'Go?', message: 'Go?', options: leaving };

    it.each([
      ['first', [person, anybody]],
      ['last', [anybody, person]],
    ])(
      'if a person names it although an agent skips it, with the checkpoint of the person %s',
      (_, checkpoints) => {
        const found = explore(
          activityWorkflow([
            { id: 'plan', steps: [{ id: 'ask', checkpoint: 'anybody' }], checkpoints, ...toEnd },
            { id: 'late', ...toEnd },
          ]),
        );
        expect(found.coverage.sites.missed).toEqual([]);
      },
    );

    it('if an agent names it after a person decided something else', () => {
      const yes = [{ id: 'yes', label: 'Yes' }];
      const found = explore(
        activityWorkflow([
          {
            id: 'plan',
            steps: [{ id: 'ask', checkpoint: 'anybody' }],
            checkpoints: [
              { ...anybody, options: naming },
              { ...person, options: yes },
            ],
            ...toEnd,
          },
          { id: 'late', ...toEnd },
        ]),
      );
      expect(found.coverage.sites.missed).toEqual([]);
    });

    it('if an agent turns on a mode that is off by default, which skips no checkpoint of a person', () => {
      const found = explore(
        activityWorkflow(
          [
            {
              id: 'plan',
              steps: [{ id: 'rate', description: 'Set `fast`.' }],
              transitions: [
                { to: 'late', condition: 'fast == true' },
                { to: 'end', isDefault: true },
              ],
            },
            { id: 'late', checkpoints: [{ ...person, options: [{ id: 'yes', label: 'Yes' }] }], ...toEnd },
          ],
          {
            variables: [{ name: 'fast', type: 'boolean', defaultValue: false }],
            modes: [{ id: 'fast', name: 'Fast', activationVariable: 'fast', skipActivities: ['late'] }],
          },
        ),
      );
      expect(found.coverage.sites.missed).toEqual([]);
    });
  });
});
