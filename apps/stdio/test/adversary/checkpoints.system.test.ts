import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messages } from '../../../../packages/core/test/support/messages.ts';
import { messages as toolMessages } from '../../../../packages/mcp/test/support/messages.ts';
import type { Situation } from './prepared-sessions.ts';
import { prepareSession, sharedSessions } from './prepared-sessions.ts';
import { drafted, releaseFiles } from '../support/release-workflow.ts';
import type { ServedHost } from '../support/served-host.ts';
import { serveHost } from '../support/served-host.ts';
import { expectRefusal, sessionStatus, withAnyNumbers } from '../support/session-status.ts';
import type { StateFolder } from '../support/state-folder.ts';
import { stateFolder } from '../support/state-folder.ts';
import { variants } from './variants.ts';

/** An answer that every session refuses, strict or advisory. */
interface WrongAnswer {
  readonly what: string;
  readonly at: Situation;
  readonly args: object;
  readonly code: string;
  readonly names: string | RegExp;
}

const option = (option_id: string) => ({ option_id });
const advance = { auto_advance: true };
const dismiss = { condition_not_met: true };

const wrongAnswers: readonly WrongAnswer[] = [
  { what: 'no mode', at: 'gate', args: {}, code: 'INVALID_INPUT', names: 'option_id' },
  {
    what: 'auto_advance: false',
    at: 'gate',
    args: { auto_advance: false },
    code: 'INVALID_INPUT',
    names: 'auto_advance: true',
  },
  {
    what: 'condition_not_met: false',
    at: 'held',
    args: { condition_not_met: false },
    code: 'INVALID_INPUT',
    names: 'condition_not_met: true',
  },
  {
    what: 'two modes at once',
    at: 'gate',
    args: { ...option('yes'), ...advance },
    code: 'INVALID_INPUT',
    names: toolMessages.oneAnswer(2),
  },
  {
    what: 'an unknown option',
    at: 'gate',
    args: option('maybe'),
    code: 'INVALID_STATE',
    names: messages.optionNotFound('go', 'maybe', ['yes', 'no']),
  },
  {
    what: 'an option with the name of an inherited property',
    at: 'gate',
    args: option('constructor'),
    code: 'INVALID_STATE',
    names: messages.optionNotFound('go', 'constructor', ['yes', 'no']),
  },
  {
    what: 'the default before the timer has run',
    at: 'gate',
    args: advance,
    code: 'INVALID_STATE',
    names: withAnyNumbers(messages.timerRunning('go', 0)),
  },
  {
    what: 'the default of a blocking checkpoint',
    at: 'firm',
    args: advance,
    code: 'INVALID_STATE',
    names: messages.blocking('firm', ['yes', 'no']),
  },
  {
    what: 'the default of a checkpoint without a timer',
    at: 'held',
    args: advance,
    code: 'INVALID_STATE',
    names: messages.noTimer('held', ['yes', 'no']),
  },
  {
    what: 'condition_not_met although the condition is met',
    at: 'held',
    args: dismiss,
    code: 'INVALID_STATE',
    names: messages.conditionMet('held', ['yes', 'no']),
  },
  {
    what: 'condition_not_met for a checkpoint without a condition',
    at: 'gate',
    args: dismiss,
    code: 'INVALID_STATE',
    names: messages.noCondition('go', ['yes', 'no']),
  },
  {
    what: 'an answer to a checkpoint that was not yielded',
    at: 'draft',
    args: option('yes'),
    code: 'INVALID_STATE',
    names: messages.noCheckpointOpen(undefined),
  },
  {
    what: 'an answer to a session that is completed',
    at: 'shipped',
    args: option('yes'),
    code: 'SESSION_COMPLETED',
    names: messages.sessionCompleted(),
  },
  ...(['signature', 'dismissedSignature'] as const).flatMap((at) =>
    [option('yes'), option('no'), option('maybe'), advance, dismiss].map((args): WrongAnswer => ({
      what: `a person's answer by ${JSON.stringify(args)} at ${at}`,
      at,
      args,
      code: 'HUMAN_REQUIRED',
      names: 'workflowlookup sessions respond',
    })),
  ),
];

const waitingCalls: readonly (readonly [tool: string, args: object])[] = [
  ['next_activity', { activity_id: 'sign', step_manifest: drafted }],
  ['next_activity', { activity_id: 'end' }],
  ['yield_checkpoint', { checkpoint_id: 'firm' }],
  ['resume_checkpoint', {}],
  ['get_activity', {}],
  ['get_workflow', {}],
  ['get_skills', {}],
  ['get_skill', {}],
  ['get_resource', { resource_id: '00' }],
  ['get_trace', {}],
];

describe.each(variants)(
  'an open checkpoint, with $tokens tokens, $enforcement',
  ({ tokens, enforcement }) => {
    let folder: StateFolder;
    let server: ServedHost;
    let sessionAt: ReturnType<typeof sharedSessions>;

    beforeAll(async () => {
      folder = await stateFolder(releaseFiles);
      server = serveHost({ ...folder.host, tokens, enforcement });
      sessionAt = sharedSessions(server);
    });

    afterAll(async () => {
      await server.close();
      await folder.dispose();
    });

    test.each(wrongAnswers)('refuses $what', async ({ at, args, code, names }) => {
      const { token } = await sessionAt(at);
      const before = await sessionStatus(server, token);
      for (const tokenArgument of [{ checkpoint_handle: token }, { session_token: token }]) {
        const answer = await server.call('respond_checkpoint', { ...tokenArgument, ...args });
        expectRefusal(answer, { code, names, root: folder.root });
      }
      expect(await sessionStatus(server, token)).toEqual(before);
    });

    test.each(waitingCalls)('blocks %s with %j, even with an older token', async (tool, args) => {
      const { tokens: all, token } = await sessionAt('gate');
      const before = await sessionStatus(server, token);
      for (const shown of all) {
        const answer = await server.call(tool, { session_token: shown, ...args });
        expectRefusal(answer, {
          code: 'CHECKPOINT_OPEN',
          names: messages.checkpointOpen('go'),
          root: folder.root,
        });
      }
      expect(await sessionStatus(server, token)).toEqual(before);
    });

    test('accepts one answer: the same answer gets the same result, and another one is a conflict', async () => {
      const { token } = await prepareSession(server, 'gate');
      const respond = (option_id: string) =>
        server.call('respond_checkpoint', { checkpoint_handle: token, option_id });
      const first = await respond('no');
      expect(first).toMatchObject({ isError: false, json: { resolved_option: 'no' } });
      expect({ ...(await respond('no')), raw: '' }).toEqual({ ...first, raw: '' });
      const other = await respond('yes');
      const conflict = { code: 'SESSION_CONFLICT', names: "Checkpoint 'go' has been answered" };
      expectRefusal(other, { ...conflict, root: folder.root });
      const { variables } = (await sessionStatus(server, other.token)) as { variables?: object };
      expect(variables ?? {}).not.toHaveProperty('approved');
    });

    test('is required for resume_checkpoint, which is refused otherwise', async () => {
      const { token } = await sessionAt('draft');
      const answer = await server.call('resume_checkpoint', { session_token: token });
      expectRefusal(answer, { code: 'INVALID_STATE', names: messages.nothingToResume(), root: folder.root });
    });

    test.each(['__proto__', 'constructor', 'valueOf', 'nothing'])(
      'with the name %s is reported as not found',
      async (id) => {
        const { token } = await sessionAt('draft');
        const before = await sessionStatus(server, token);
        const answer = await server.call('yield_checkpoint', { session_token: token, checkpoint_id: id });
        expectRefusal(answer, { code: 'CHECKPOINT_NOT_FOUND', names: `'${id}'`, root: folder.root });
        expect(await sessionStatus(server, token)).toEqual(before);
      },
    );

    test('refuses an answer that comes faster than a person can give it', async () => {
      const { token } = await sessionAt('gate');
      const slow = serveHost({ ...folder.host, tokens, enforcement, minResponseMs: 3_600_000 });
      const answer = await slow.call('respond_checkpoint', { checkpoint_handle: token, option_id: 'yes' });
      expectRefusal(answer, {
        code: 'INVALID_STATE',
        names: withAnyNumbers(messages.answerTooSoon(0)),
        root: folder.root,
      });
      await slow.close();
      expect(await sessionStatus(server, token)).toMatchObject({ status: 'blocked' });
    });

    test.each([option('yes'), advance, dismiss])(
      'can be answered only by people with --gates human, even with %j',
      async (args) => {
        const { token } = await sessionAt('gate');
        const guarded = serveHost({ ...folder.host, tokens, enforcement, gates: 'human' });
        const answer = await guarded.call('respond_checkpoint', { checkpoint_handle: token, ...args });
        const [names, root] = ['workflowlookup sessions respond', folder.root];
        expectRefusal(answer, { code: 'HUMAN_REQUIRED', names, root });
        await guarded.close();
        expect(await sessionStatus(server, token)).toMatchObject({ status: 'blocked' });
      },
    );

    test('of a parent session can be neither answered nor bypassed with the token of its child session', async () => {
      const parent = await prepareSession(server, 'gate');
      const child = await server.call('start_session', {
        agent_id: 'worker',
        workflow_id: 'errand',
        parent_session_token: parent.token,
      });
      const before = await sessionStatus(server, parent.token);
      const args = { session_token: child.token };
      const answered = await server.call('respond_checkpoint', { ...args, option_id: 'yes' });
      expectRefusal(answered, {
        code: 'INVALID_STATE',
        names: messages.noCheckpointOpen(undefined),
        root: folder.root,
      });
      const moved = await server.call('next_activity', { ...args, activity_id: 'fetch' });
      expect(moved.isError).toBe(false);
      const handle = (
        await server.call('yield_checkpoint', { session_token: moved.token, checkpoint_id: 'go' })
      ).token;
      const own = await server.call('respond_checkpoint', { checkpoint_handle: handle, option_id: 'yes' });
      expect(own.isError).toBe(false);
      expect(await sessionStatus(server, parent.token)).toEqual(before);
    });
  },
);
