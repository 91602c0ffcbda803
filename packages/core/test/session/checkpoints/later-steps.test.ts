import type { Json, PromptStep, Step } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { workflow } from '../../support/step-workflows.ts';
import type { Walk } from '../../support/sessions.ts';
import { codeOf, enforcements, manifest, sequence, walk } from '../../support/sessions.ts';

type Values = Readonly<Record<string, Json>>;

/** Moves with a manifest of the current step, and returns the code if the move is refused. */
function go(session: Walk, to?: string, variables?: Values): string | undefined {
  const { current } = session.state;
  const outputs = current === undefined ? {} : manifest(current);
  return codeOf(session.move(to, { ...outputs, ...(variables === undefined ? {} : { variables }) }));
}

const asking = (id: string, title: string, more: Partial<PromptStep> = {}): Step => ({
  id,
  title,
  prompt: 'Ask.',
  requireConfirmation: true,
  approver: 'human',
  ...more,
});
const forEach = (id: string, items: string, body: readonly string[] | readonly Step[]): Step => ({
  id,
  title: 'Each',
  type: 'loop',
  loop: { type: 'forEach', items, itemVar: 'item', maxIterations: 9 },
  body: body.map((one) => (typeof one === 'string' ? { id: one, title: one, prompt: 'Do it.' } : one)),
});

/** Lets a person confirm the current step. */
function confirm(session: Walk): void {
  expect(codeOf(session.yield('confirm'))).toBeUndefined();
  expect(codeOf(session.choose('confirm', 'human'))).toBeUndefined();
}

function begun(steps: Parameters<typeof workflow>[0], options: Parameters<typeof walk>[1]): Walk {
  const session = walk(sequence(workflow(steps)), options);
  go(session);
  return session;
}

describe.each(enforcements)(
  'an approved variable stays frozen if its step comes later: %s',
  (enforcement) => {
    test('because its condition becomes true', () => {
      const session = begun(
        [
          'plan',
          asking('ask', 'Deploy to {{env}}'),
          { id: 'deploy', title: 'Deploy', prompt: 'p', runCondition: 'ready == true' },
          'report',
          'note',
        ],
        { enforcement, variables: { env: 'staging', ready: false } },
      );
      go(session);
      confirm(session);
      go(session);
      expect(session.state.current).toBe('report');
      expect(go(session, undefined, { env: 'prod' })).toBe('VARIABLE_PROTECTED');
      go(session);
      expect(go(session, undefined, { env: 'prod', ready: true })).toBe('VARIABLE_PROTECTED');
      expect(go(session, undefined, { ready: true })).toBeUndefined();
      expect(session.state.current).toBe('deploy');
      expect(go(session)).toBeUndefined();
      expect(session.state.status).toBe('completed');
    });

    test('because loops before it get more items', () => {
      const session = begun(
        [
          forEach('each', 'files', ['work']),
          forEach('docs', 'units', ['write']),
          asking('final', 'Ship {{env}}'),
          'ship',
          'report',
        ],
        { enforcement, variables: { env: 'staging', files: ['a'], units: [1] } },
      );
      go(session);
      go(session);
      confirm(session);
      expect(go(session, undefined, { files: ['a', 'b'], units: [1, 2] })).toBeUndefined();
      expect(go(session, undefined, { env: 'prod' })).toBe('VARIABLE_PROTECTED');
      go(session);
      expect(go(session, undefined, { env: 'prod' })).toBe('VARIABLE_PROTECTED');
      go(session);
      expect(session.state.current).toBe('ship');
      go(session);
      expect(session.state.frozen).toEqual([]);
    });

    test('because a loop after the checkpoint gets its items', () => {
      const session = begun(
        [
          'plan',
          forEach('each', 'files', [
            asking('ask', 'Drop {{item}} in {{env}}'),
            {
              id: 'in',
              title: 'Each unit',
              type: 'loop',
              loop: { type: 'forEach', items: 'units', maxIterations: 9 },
              body: [{ id: 'drop', title: 'Drop', prompt: 'p' }],
            },
          ]),
          'report',
          'note',
        ],
        { enforcement, variables: { env: 'staging', files: ['a'], units: [] } },
      );
      go(session);
      confirm(session);
      go(session);
      expect(session.state.current).toBe('report');
      const evil = { files: ['evil'], env: 'prod', units: [1] };
      expect(go(session, undefined, evil)).toBe('VARIABLE_PROTECTED');
      go(session);
      expect(go(session, undefined, evil)).toBe('VARIABLE_PROTECTED');
    });

    test('because the loop that it approved gets more items', () => {
      const session = begun(
        [
          'plan',
          asking('approve', 'Deploy to {{env}}'),
          forEach('each', 'files', ['deploy', 'check']),
          'report',
        ],
        { enforcement, variables: { env: 'staging', files: ['a'] } },
      );
      go(session);
      confirm(session);
      for (let moves = 0; moves < 3; moves += 1) go(session);
      expect(session.state.current).toBe('report');
      expect(go(session, undefined, { env: 'prod', files: ['a', 'b'] })).toBe('VARIABLE_PROTECTED');
      expect(go(session, undefined, { files: ['a', 'b'] })).toBeUndefined();
      expect(session.state).toMatchObject({ current: 'each@1::deploy', variables: { env: 'staging' } });
    });
  },
);
