import { describe, expect, it } from 'vitest';
import { createReferenceCodec, createSelfContainedCodec } from '../../src/session-engine/session-tokens.ts';
import { workflow } from '../support/step-workflows.ts';
import type { TestServer } from '../support/test-server.ts';
import { atFetch, fetchManifest, openTestServer } from '../support/test-server.ts';

const yes = { mode: { kind: 'option', option: 'yes' } } as const;
const no = { mode: { kind: 'option', option: 'no' } } as const;

/** Returns the last event of the only session of a server. */
async function lastEvent({ store }: TestServer): Promise<unknown> {
  const [session] = (await store.find({})).sessions;
  return (await store.events(session?.sid ?? '')).at(-1)?.data;
}

describe('a checkpoint', () => {
  it('blocks the session with any token', async () => {
    const server = openTestServer();
    const { sessions } = server;
    const before = await atFetch(server);
    const { token } = await sessions.yield(before, 'bake-now');
    for (const shown of [before, token]) {
      const calls = [
        sessions.move(shown, { activityId: 'bake' }),
        sessions.activity(shown, { full: false }),
        sessions.workflow(shown, { summary: true, full: false }),
        sessions.skills(shown),
        sessions.skill(shown),
        sessions.resource(shown, '01'),
        sessions.trace(shown),
        sessions.yield(shown, 'another'),
        sessions.resume(shown),
      ];
      for (const result of await Promise.allSettled(calls)) {
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'CHECKPOINT_OPEN' } });
      }
      expect((await sessions.status(shown)).value.status).toBe('blocked');
    }
  });

  it.each([createReferenceCodec, createSelfContainedCodec])(
    'is answered once: repeating the answer returns the same result, another answer is a conflict',
    async (codec) => {
      const server = openTestServer(undefined, { codec });
      const { sessions } = server;
      const { token: handle } = await sessions.yield(await atFetch(server), 'bake-now');
      server.nowMs += 3000;
      const first = await sessions.answer(handle, yes);
      server.nowMs += 5000;
      expect(await sessions.answer(handle, yes)).toEqual(first);
      await expect(sessions.answer(handle, no)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
      expect((await sessions.status(first.token)).value.variables).toEqual({ hot: true });
    },
  );

  it('of a step in a loop marks the item as text of an agent', async () => {
    const loop = { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 } as const;
    const body = [{ id: 'drop', title: 'Drop {{file.name}}', prompt: 'p', requireConfirmation: true }];
    const { sessions } = openTestServer([workflow([{ id: 'each', type: 'loop', loop, body }])]);
    const { token } = await sessions.start({ agentId: 'a', workflowId: 'flow' });
    const variables = { files: [{ name: 'log' }, { name: 'prod.db' }], file: { name: 'other' } };
    const first = await sessions.move(token, { variables });
    const handle = await sessions.yield(first.token, 'confirm');
    const { value } = await sessions.present(handle.token);
    expect(value.checkpoint).toMatchObject({ name: 'Confirm: Drop log' });
    expect(value.parts.name).toEqual(['Confirm: Drop ', { variable: 'file.name', text: 'log' }]);
    expect(value.values).toMatchObject([{ name: 'file.name', value: 'log', isFromWorkflow: false }]);
  });

  it('for a person refuses the agent and says where a person can answer', async () => {
    const server = openTestServer(undefined, { policy: { gates: 'human' } });
    const { sessions } = server;
    const { token } = await sessions.yield(await atFetch(server), 'bake-now');
    server.nowMs += 3000;
    const refused = await sessions.answer(token, yes).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'HUMAN_REQUIRED',
      data: { remedy: { kind: 'answer', by: 'human' } },
    });
    expect(String(refused)).toContain('the console, session ');
    expect((await sessions.present(token)).value).toMatchObject({ answeredBy: 'person', mayElicit: false });
  });

  it('for a person accepts an elicited answer if the deployment trusts elicitation', async () => {
    const trusting = { gates: 'human', trustElicitation: true } as const;
    const server = openTestServer(undefined, { policy: trusting });
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    const elicited = { ...yes, through: 'elicitation' } as const;
    const strict = server.sessionsFor({ policy: { gates: 'human' } });
    await expect(strict.answer(token, elicited)).rejects.toMatchObject({ code: 'HUMAN_REQUIRED' });
    expect((await server.sessions.answer(token, elicited)).value).toMatchObject({ checkpoint: 'bake-now' });
  });

  it('for a person refuses an elicited answer on a server with a less strict policy than the first one', async () => {
    const server = openTestServer(undefined, { policy: { gates: 'human' } });
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    const elicited = { ...yes, through: 'elicitation' } as const;
    const lax = server.sessionsFor({
      policy: { gates: 'declared', trustElicitation: true, minResponseMs: 0 },
    });
    expect((await lax.present(token)).value).toMatchObject({ answeredBy: 'person', mayElicit: false });
    await expect(lax.answer(token, elicited)).rejects.toMatchObject({ code: 'HUMAN_REQUIRED' });
    await expect(lax.answer(token, yes)).rejects.toMatchObject({ code: 'HUMAN_REQUIRED' });
  });

  it('for a person accepts the answer of a caller of the same principal who may respond', async () => {
    const server = openTestServer(undefined, { policy: { gates: 'human' } });
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    const person = server.sessionsFor({ policy: { gates: 'human' }, mayRespond: true });
    expect((await person.present(token)).value).toMatchObject({ answeredBy: 'user', mayElicit: true });
    const stranger = server.sessionsFor({ principal: 'stranger', mayRespond: true });
    await expect(stranger.answer(token, yes)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await person.answer(token, yes)).value).toMatchObject({ checkpoint: 'bake-now' });
  });

  it('for a person accepts an answer through the client of a caller who may respond', async () => {
    const server = openTestServer(undefined, { policy: { gates: 'human' } });
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    const person = server.sessionsFor({ policy: { gates: 'human' }, mayRespond: true });
    await person.answer(token, { ...yes, through: 'elicitation' });
    expect(await lastEvent(server)).toMatchObject({
      by: 'human',
      origin: { channel: 'elicitation', assurance: 'account' },
    });
  });

  it.each(['call', 'elicitation'] as const)(
    'records an answer by %s as the answer of the agent, unless the deployment trusts elicitation',
    async (through) => {
      const server = openTestServer();
      const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
      const answer = server.sessions.answer(token, { ...yes, through });
      await expect(answer).rejects.toMatchObject({ code: 'INVALID_STATE' });
      server.nowMs += 3000;
      await server.sessions.answer(token, { ...yes, through });
      expect(await lastEvent(server)).toMatchObject({ by: 'agent', origin: { assurance: 'agent' } });
    },
  );

  it('accepts an elicited answer at once if the deployment trusts it, because a person gave it', async () => {
    const server = openTestServer(undefined, { policy: { trustElicitation: true } });
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    await expect(server.sessions.answer(token, yes)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const reply = await server.sessions.answer(token, { ...yes, through: 'elicitation' });
    expect(reply.value).toEqual({
      checkpoint: 'bake-now',
      answer: { kind: 'option', option: 'yes' },
      effect: { setVariable: { hot: true } },
    });
  });

  it('can be answered while a worker waits', async () => {
    const server = openTestServer();
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    server.nowMs += 3000;
    const waiting = server.sessionsFor({
      pause: async () => {
        await server.sessions.answer(token, yes);
      },
    });
    const { token: next } = await waiting.resume(token, { waitMs: 50_000 });
    const { value } = await server.sessions.move(next, { manifest: fetchManifest });
    expect(value).toMatchObject({ activity: 'bake' });
  });

  it('wakes a waiting worker with the answer if the store sends hints', async () => {
    const server = openTestServer();
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    server.nowMs += 3000;
    let pauses = 0;
    const waiting = server.sessionsFor({
      pause: async (_ms, signal) => {
        pauses += 1;
        const woken = new Promise((resolve) => signal?.addEventListener('abort', resolve));
        await server.sessions.answer(token, yes);
        await woken;
      },
    });
    await waiting.resume(token, { waitMs: 50_000 });
    expect(pauses).toBe(1);
  });

  it('ends a wait after the requested time, and when the caller aborts', async () => {
    const server = openTestServer();
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    let pauses = 0;
    const pause = async (ms: number): Promise<void> => {
      pauses += 1;
      server.nowMs += ms;
    };
    const sessions = server.sessionsFor({ pause });
    await expect(sessions.resume(token, { waitMs: 1000 })).rejects.toMatchObject({ code: 'CHECKPOINT_OPEN' });
    expect(pauses).toBe(4);
    const signal = AbortSignal.abort();
    await expect(sessions.resume(token, { waitMs: 1000, signal })).rejects.toMatchObject({
      code: 'CHECKPOINT_OPEN',
    });
    expect(pauses).toBe(4);
  });

  it('is presented with variables filled into its texts', async () => {
    const server = openTestServer();
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    const { value } = await server.sessions.present(token);
    expect(value.checkpoint.message).toBe('Bake with rye?');
  });

  it('cannot be presented or resumed if it was not yielded', async () => {
    const server = openTestServer();
    const token = await atFetch(server);
    await expect(server.sessions.present(token)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(server.sessions.resume(token)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });
});
