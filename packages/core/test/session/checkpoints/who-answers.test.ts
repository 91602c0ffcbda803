import { describe, expect, test } from 'vitest';
import type { AnswerOrigin } from '../../../src/session/session-event.ts';
import { codeOf, graph, refusalOf, walk } from '../../support/sessions.ts';
import { audit, variables } from '../../support/permit-workflow.ts';

describe('the policy for answers', () => {
  const sealed = { gates: 'human', trustElicitation: false, minResponseMs: 3000 } as const;
  const lax = { gates: 'declared', trustElicitation: true, minResponseMs: 0 } as const;

  test('is that of the start of the session even on a less strict server', () => {
    const session = walk(graph(audit, { variables }), { ...lax, policy: sealed, enforcement: 'strict' });
    session.move();
    session.yield('permit');
    expect(session.state.gate).toMatchObject({ approver: 'human' });
    expect(codeOf(session.choose('read-only', 'agent'))).toBe('HUMAN_REQUIRED');
    session.choose('read-only', 'human');
    expect(codeOf(session.move('probe'))).toBe('ILLEGAL_TRANSITION');
  });

  test('is that of the server if the server is stricter', () => {
    const at = { ...lax, gates: 'human' } as const;
    const session = walk(graph(audit, { variables }), { ...at, policy: lax });
    session.move();
    expect(codeOf(session.move())).toBe('CHECKPOINT_OPEN');
    session.yield('permit');
    expect(codeOf(session.choose('read-only', 'agent'))).toBe('HUMAN_REQUIRED');
  });
});

describe('the credential of an answer', () => {
  const origin = (credential: string) =>
    ({ channel: 'tool', credential, principal: 'team', assurance: 'account' }) as const;
  const answer = (credential: string, how?: Partial<AnswerOrigin>) =>
    ({
      kind: 'answer',
      mode: { kind: 'option', option: 'read-only' },
      by: 'human',
      origin: { ...origin(credential), ...how },
    }) as const;
  function driven() {
    const session = walk(graph(audit, { variables }), { credential: 'k1' });
    session.do({ kind: 'move', credential: 'k2' });
    session.do({ kind: 'yield', checkpointId: 'permit', credential: 'k3' });
    return session;
  }

  test.each(['k1', 'k2', 'k3'])(
    'counts as that of the agent if it was used to work on the session: %s',
    (credential) => {
      expect(refusalOf(driven(), answer(credential))).toMatchObject({
        code: 'HUMAN_REQUIRED',
        data: { checkpoint_id: 'permit', reason: 'same-credential' },
      });
    },
  );

  test('counts as that of a person if it was not used to work on the session, and is recorded with the answer', () => {
    const session = driven();
    expect(session.do(answer('k4'))).toMatchObject({
      ok: true,
      event: { by: 'human', origin: origin('k4') },
    });
  });

  test('does not matter if a trusted client asked its user', () => {
    const elicited = { channel: 'elicitation', assurance: 'client' } as const;
    expect(codeOf(driven().do(answer('k1', elicited)))).toBeUndefined();
  });

  test('counts as that of the agent if the client is not trusted', () => {
    expect(codeOf(driven().do(answer('k1', { channel: 'elicitation' })))).toBe('HUMAN_REQUIRED');
  });
});
