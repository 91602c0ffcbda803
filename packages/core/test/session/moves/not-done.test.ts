import { describe, expect, it } from 'vitest';
import { isSessionEvent } from '../../../src/session/session-event.ts';
import { statusOf } from '../../../src/session/status.ts';
import { workflow as steps } from '../../support/step-workflows.ts';
import { codeOf, enforcements, graph, manifest, said, sequence, walk } from '../../support/sessions.ts';
import type { Walk } from '../../support/sessions.ts';

const review = graph([
  {
    id: 'review',
    steps: [{ id: 'read' }, { id: 'second-look', may_be_missing: true }],
    transitions: [
      { to: 'again', condition: 'again == true' },
      { to: 'close', isDefault: true },
    ],
  },
  { id: 'again', steps: [{ id: 'wait' }], transitions: [{ to: 'review' }] },
  { id: 'close', steps: [{ id: 'tidy' }] },
]);

const missing = { step_id: 'second-look', output: '', not_done: 'Nobody else is here' };
const read = { step_id: 'read', output: 'Read it' };

function atReview(enforcement: 'advisory' | 'strict'): Walk {
  const session = walk(review, { enforcement });
  session.move('review');
  return session;
}

describe.each(enforcements)('in an %s session, a step reported as not done', (enforcement) => {
  it('is accepted without a warning if it may be missing, and kept with its reason', () => {
    const session = atReview(enforcement);
    const moved = session.move('close', { manifest: [read, missing] });
    expect(moved).toMatchObject({ ok: true, warnings: [], event: { manifest: [read, missing] } });
    const [event] = session.journal.slice(-1);
    expect(isSessionEvent('activity-entered', JSON.parse(JSON.stringify(event?.event)))).toBe(true);
    const kept = [{ step: 'second-look', activity: 'review', reason: 'Nobody else is here', revision: 3 }];
    expect(session.state.notDone).toEqual(kept);
    session.move('end', manifest('tidy'));
    expect(session.state).toMatchObject({ status: 'completed', notDone: kept });
    expect(statusOf(session.state, review).notDone).toEqual(kept);
  });

  it('is refused if the step may not be missing, and the error names the steps that may', () => {
    const session = atReview(enforcement);
    const entries = [
      { step_id: 'read', output: '', not_done: 'No time' },
      { step_id: 'second-look', output: 'Looked' },
    ];
    const refused = session.move('close', { manifest: entries });
    expect(refused).toMatchObject({
      ok: false,
      code: 'MANIFEST_INVALID',
      data: { step_id: 'read', may_be_missing: ['second-look'] },
    });
    const unknown = { step_id: 'stranger', output: '', not_done: 'No' };
    expect(codeOf(session.move('close', { manifest: [read, missing, unknown] }))).toBe('MANIFEST_INVALID');
    expect(session.state.revision).toBe(2);
  });

  it('needs a reason, and may have an output, which does not count', () => {
    const session = atReview(enforcement);
    const unexplained = { ...missing, output: 'Looked', not_done: ' ' };
    expect(session.move('close', { manifest: [read, unexplained] })).toMatchObject({
      ok: false,
      code: 'MANIFEST_INVALID',
      data: { step_id: 'second-look', found: 'no reason' },
    });
    expect(session.move('close', { manifest: [read, { ...missing, output: 'Looked' }] })).toMatchObject({
      ok: true,
    });
    expect(session.state.notDone).toMatchObject([
      { step: 'second-look', reason: missing.not_done, hasOutput: true },
    ]);
  });

  it('is not reported for a step that is not required: an optional one, or one whose condition is false', () => {
    const place = graph([
      {
        id: 'one',
        steps: [
          { id: 'polish', required: false },
          { id: 'later', condition: 'late == true' },
        ],
      },
    ]);
    const session = walk(place, { enforcement });
    session.move();
    for (const id of ['polish', 'later'])
      expect(
        session.move('end', { manifest: [{ step_id: id, output: '', not_done: 'No time' }] }),
      ).toMatchObject({
        ok: false,
        code: 'MANIFEST_INVALID',
        data: { step_id: id, found: 'not required' },
      });
    expect(codeOf(session.move('end', { manifest: [] }))).toBeUndefined();
  });

  it('has a short reason without hidden characters', () => {
    const session = atReview(enforcement);
    for (const reason of ['x'.repeat(1001), 'Ask \u202Eann', 'Done\u001B[2K', 'a\u200Bb'])
      expect(codeOf(session.move('close', { manifest: [read, { ...missing, not_done: reason }] }))).toBe(
        'MANIFEST_INVALID',
      );
    const long = { ...missing, not_done: `No.\n${'x'.repeat(990)}` };
    expect(codeOf(session.move('close', { manifest: [read, long] }))).toBeUndefined();
  });

  it('is refused if the session already keeps too many long reasons', () => {
    const files = Array.from({ length: 200 }, (_, at) => at);
    const loop = { id: 'each', name: 'Each', type: 'forEach', over: 'files', maxIterations: 300 } as const;
    const run = { id: 'run', may_be_missing: true };
    const session = walk(graph([{ id: 'check', loops: [{ ...loop, steps: [run] }] }, { id: 'close' }]), {
      enforcement,
      variables: { files },
    });
    session.move('check');
    const entries = (length: number) =>
      files.map((at) => ({ step_id: `each@${at}::run`, output: '', not_done: 'x'.repeat(length) }));
    expect(codeOf(session.move('end', { manifest: entries(501) }))).toBe('MANIFEST_INVALID');
    expect(codeOf(session.move('end', { manifest: entries(500) }))).toBeUndefined();
  });

  it('is no longer reported as missing once it is done in a later visit', () => {
    const session = atReview(enforcement);
    session.move(undefined, { manifest: [read, missing], variables: { again: true } });
    expect(session.state.notDone).toHaveLength(1);
    session.move(undefined, manifest('wait'));
    session.move(undefined, { ...manifest('read', 'second-look'), variables: { again: false } });
    expect(session.state).toMatchObject({ current: 'close', notDone: [] });
  });

  it.each(['any', 'human'] as const)('does not pass its checkpoint (approver: %s)', (approver) => {
    const checkpoint = {
      id: 'sign',
      name: 'Sign',
      message: 'Sign?',
      approver,
      options: [{ id: 'yes', label: 'Yes' }],
    };
    const signing = graph([
      {
        id: 'ask',
        steps: [{ id: 'signature', checkpoint: 'sign', may_be_missing: true }],
        checkpoints: [checkpoint],
        transitions: [{ to: 'ship' }],
      },
      { id: 'ship' },
    ]);
    const session = walk(signing, { enforcement });
    session.move('ask');
    const entry = { step_id: 'signature', output: '', not_done: 'Nobody signs' };
    const moved = session.move('ship', { manifest: [entry] });
    // Both sessions refuse to bypass a checkpoint for a person. Any other checkpoint only causes a warning in an advisory session.
    const isRefused = approver === 'human' || enforcement === 'strict';
    expect(codeOf(moved)).toBe(isRefused ? 'CHECKPOINT_OPEN' : undefined);
    expect(said(moved)).toHaveLength(1);
  });

  it('still applies the actions of the step, so that it opens no other transition', () => {
    const setting = graph([
      {
        id: 'rate',
        steps: [
          { id: 'score', may_be_missing: true, actions: [{ action: 'set', target: 'risk', value: 'high' }] },
        ],
        transitions: [
          { to: 'ask', condition: "risk == 'high'" },
          { to: 'ship', isDefault: true },
        ],
      },
      { id: 'ask' },
      { id: 'ship' },
    ]);
    const session = walk(setting, { enforcement });
    session.move('rate');
    session.move(undefined, { manifest: [{ step_id: 'score', output: '', not_done: 'No scale' }] });
    expect(session.state).toMatchObject({ current: 'ask', variables: { risk: 'high' } });
  });

  it('sets no variables from the fields of its output, which was not checked', () => {
    const score = {
      id: 'score',
      may_be_missing: true,
      fields: [{ id: 'risk' }],
      sets: { risk: 'risk' },
    };
    const session = walk(graph([{ id: 'rate', steps: [score] }]), { enforcement });
    session.move('rate');
    const entry = { step_id: 'score', output: JSON.stringify({ risk: 'low' }), not_done: 'No scale' };
    session.move('end', { manifest: [entry] });
    expect(session.state).toMatchObject({ status: 'completed', notDone: [{ step: 'score' }] });
    expect(session.state.variables).not.toHaveProperty('risk');
  });

  it('sets no variables if it is optional', () => {
    const actions = [{ action: 'set' as const, target: 'isTested', value: true }];
    const session = walk(
      graph([
        { id: 'test', steps: [{ id: 'run', required: false, may_be_missing: true, actions }] },
        { id: 'close' },
      ]),
      { enforcement },
    );
    session.move('test');
    session.move('close', { manifest: [{ step_id: 'run', output: '', not_done: 'No device' }] });
    expect(session.state.variables).not.toHaveProperty('isTested');
  });

  it('can be in one iteration of a loop', () => {
    const looping = graph([
      {
        id: 'check',
        loops: [
          {
            id: 'each',
            name: 'Each',
            type: 'forEach',
            variable: 'file',
            over: 'files',
            steps: [{ id: 'run', may_be_missing: true }, { id: 'note' }],
          },
        ],
      },
    ]);
    const atCheck = (): Walk => {
      const begun = walk(looping, { enforcement, variables: { files: ['a', 'b'] } });
      begun.move('check');
      return begun;
    };
    const session = atCheck();
    const entries = [
      { step_id: 'each@0::run', output: 'Ran' },
      { step_id: 'each@0::note', output: 'Fine' },
      { step_id: 'each@1::run', output: '', not_done: 'No device' },
    ];
    expect(said(atCheck().move('end', { manifest: entries }))[0]).toContain('each@1::note');
    const whole = [...entries, { step_id: 'each@1::note', output: 'Skipped' }];
    expect(session.move('end', { manifest: whole })).toMatchObject({ ok: true, warnings: [] });
    expect(session.state.notDone).toMatchObject([{ step: 'each@1::run', reason: 'No device' }]);
  });

  it('can be in a step workflow', () => {
    const flow = sequence(steps([{ id: 'draft' }, { id: 'review', may_be_missing: true }, { id: 'send' }]));
    const session = walk(flow, { enforcement });
    session.move();
    const entry = (id: string) => [{ step_id: id, output: '', not_done: 'Alone' }];
    expect(codeOf(session.move(undefined, { manifest: entry('draft') }))).toBe('MANIFEST_INVALID');
    session.move(undefined, manifest('draft'));
    expect(session.move(undefined, { manifest: entry('review') })).toMatchObject({ ok: true, warnings: [] });
    expect(session.state).toMatchObject({
      current: 'send',
      notDone: [{ step: 'review', activity: 'review', reason: 'Alone' }],
    });
  });
});
