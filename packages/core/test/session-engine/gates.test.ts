import { describe, expect, it } from 'vitest';
import { createReferenceCodec, createSelfContainedCodec } from '../../src/session-tokens.ts';
import { workflow } from '../fixtures.ts';
import type { House } from './house.ts';
import { atFetch, fetched, openHouse } from './house.ts';

const yes = { mode: { kind: 'option', option: 'yes' } } as const;
const no = { mode: { kind: 'option', option: 'no' } } as const;

/** What the one session of a house did last. */
async function lastEvent({ store }: House): Promise<unknown> {
  const [session] = (await store.find({})).sessions;
  return (await store.events(session?.sid ?? '')).at(-1)?.data;
}

describe('a checkpoint', () => {
  it('holds the session whichever token is shown', async () => {
    const house = openHouse();
    const { sessions } = house;
    const before = await atFetch(house);
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
    'is answered once: the same answer again is the same, another a conflict',
    async (codec) => {
      const house = openHouse(undefined, { codec });
      const { sessions } = house;
      const { token: handle } = await sessions.yield(await atFetch(house), 'bake-now');
      house.nowMs += 3000;
      const first = await sessions.answer(handle, yes);
      house.nowMs += 5000;
      expect(await sessions.answer(handle, yes)).toEqual(first);
      await expect(sessions.answer(handle, no)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
      expect((await sessions.status(first.token)).value.variables).toEqual({ hot: true });
    },
  );

  it('of a step in a loop shows its item as the text of an agent', async () => {
    const loop = { type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 } as const;
    const body = [{ id: 'drop', title: 'Drop {{file.name}}', prompt: 'p', requireConfirmation: true }];
    const { sessions } = openHouse([workflow([{ id: 'each', type: 'loop', loop, body }])]);
    const { token } = await sessions.start({ agentId: 'a', workflowId: 'flow' });
    const variables = { files: [{ name: 'log' }, { name: 'prod.db' }], file: { name: 'other' } };
    const first = await sessions.move(token, { variables });
    const handle = await sessions.yield(first.token, 'confirm');
    const { value } = await sessions.present(handle.token);
    expect(value.checkpoint).toMatchObject({ name: 'Confirm: Drop log' });
    expect(value.parts.name).toEqual(['Confirm: Drop ', { variable: 'file.name', text: 'log' }]);
    expect(value.values).toMatchObject([{ name: 'file.name', value: 'log', isFromWorkflow: false }]);
  });

  it('that only a person answers refuses the agent and says where a person can', async () => {
    const house = openHouse(undefined, { policy: { gates: 'human' } });
    const { sessions } = house;
    const { token } = await sessions.yield(await atFetch(house), 'bake-now');
    house.nowMs += 3000;
    const refused = await sessions.answer(token, yes).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'HUMAN_REQUIRED',
      data: { remedy: { kind: 'answer', by: 'human' } },
    });
    expect(String(refused)).toContain('the console, session ');
    expect((await sessions.present(token)).value).toMatchObject({ answeredBy: 'person', mayElicit: false });
  });

  it('that only a person answers takes an elicited answer where the deployment trusts it', async () => {
    const trusting = { gates: 'human', trustElicitation: true } as const;
    const house = openHouse(undefined, { policy: trusting });
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    const elicited = { ...yes, through: 'elicitation' } as const;
    const strict = house.elsewhere({ policy: { gates: 'human' } });
    await expect(strict.answer(token, elicited)).rejects.toMatchObject({ code: 'HUMAN_REQUIRED' });
    expect((await house.sessions.answer(token, elicited)).value).toMatchObject({ checkpoint: 'bake-now' });
  });

  it('that only a person answers takes no elicited answer on a server that trusts more than the first', async () => {
    const house = openHouse(undefined, { policy: { gates: 'human' } });
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    const elicited = { ...yes, through: 'elicitation' } as const;
    const lax = house.elsewhere({ policy: { gates: 'declared', trustElicitation: true, minResponseMs: 0 } });
    expect((await lax.present(token)).value).toMatchObject({ answeredBy: 'person', mayElicit: false });
    await expect(lax.answer(token, elicited)).rejects.toMatchObject({ code: 'HUMAN_REQUIRED' });
    await expect(lax.answer(token, yes)).rejects.toMatchObject({ code: 'HUMAN_REQUIRED' });
  });

  it('that only a person answers takes the answer of a caller who may respond, of the same principal', async () => {
    const house = openHouse(undefined, { policy: { gates: 'human' } });
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    const person = house.elsewhere({ policy: { gates: 'human' }, mayRespond: true });
    expect((await person.present(token)).value).toMatchObject({ answeredBy: 'user', mayElicit: true });
    const stranger = house.elsewhere({ principal: 'stranger', mayRespond: true });
    await expect(stranger.answer(token, yes)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await person.answer(token, yes)).value).toMatchObject({ checkpoint: 'bake-now' });
  });

  it('that only a person answers takes it through the client of a caller who may respond', async () => {
    const house = openHouse(undefined, { policy: { gates: 'human' } });
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    const person = house.elsewhere({ policy: { gates: 'human' }, mayRespond: true });
    await person.answer(token, { ...yes, through: 'elicitation' });
    expect(await lastEvent(house)).toMatchObject({
      by: 'human',
      origin: { channel: 'elicitation', assurance: 'account' },
    });
  });

  it.each(['call', 'elicitation'] as const)(
    'takes an answer by %s as the agent gives it, unless the deployment trusts elicitation',
    async (through) => {
      const house = openHouse();
      const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
      const answer = house.sessions.answer(token, { ...yes, through });
      await expect(answer).rejects.toMatchObject({ code: 'INVALID_STATE' });
      house.nowMs += 3000;
      await house.sessions.answer(token, { ...yes, through });
      expect(await lastEvent(house)).toMatchObject({ by: 'agent', origin: { assurance: 'agent' } });
    },
  );

  it('takes an elicited answer at once where the deployment trusts it: a person gave it', async () => {
    const house = openHouse(undefined, { policy: { trustElicitation: true } });
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    await expect(house.sessions.answer(token, yes)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const reply = await house.sessions.answer(token, { ...yes, through: 'elicitation' });
    expect(reply.value).toEqual({
      checkpoint: 'bake-now',
      answer: { kind: 'option', option: 'yes' },
      effect: { setVariable: { hot: true } },
    });
  });

  it('lets a worker wait for the answer', async () => {
    const house = openHouse();
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    house.nowMs += 3000;
    const waiting = house.elsewhere({
      pause: async () => {
        await house.sessions.answer(token, yes);
      },
    });
    const { token: next } = await waiting.resume(token, { waitMs: 50_000 });
    const { value } = await house.sessions.move(next, { manifest: fetched });
    expect(value).toMatchObject({ activity: 'bake' });
  });

  it('wakes a worker with the answer, where the store hints that it came', async () => {
    const house = openHouse();
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    house.nowMs += 3000;
    let pauses = 0;
    const waiting = house.elsewhere({
      pause: async (_ms, signal) => {
        pauses += 1;
        const woken = new Promise((resolve) => signal?.addEventListener('abort', resolve));
        await house.sessions.answer(token, yes);
        await woken;
      },
    });
    await waiting.resume(token, { waitMs: 50_000 });
    expect(pauses).toBe(1);
  });

  it('keeps nobody waiting longer than asked, nor after the caller left', async () => {
    const house = openHouse();
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    let pauses = 0;
    const pause = async (ms: number): Promise<void> => {
      pauses += 1;
      house.nowMs += ms;
    };
    const sessions = house.elsewhere({ pause });
    await expect(sessions.resume(token, { waitMs: 1000 })).rejects.toMatchObject({ code: 'CHECKPOINT_OPEN' });
    expect(pauses).toBe(4);
    const signal = AbortSignal.abort();
    await expect(sessions.resume(token, { waitMs: 1000, signal })).rejects.toMatchObject({
      code: 'CHECKPOINT_OPEN',
    });
    expect(pauses).toBe(4);
  });

  it('is presented with the variables in its texts', async () => {
    const house = openHouse();
    const { token } = await house.sessions.yield(await atFetch(house), 'bake-now');
    const { value } = await house.sessions.present(token);
    expect(value.checkpoint.message).toBe('Bake with rye?');
  });

  it('is not there to present or resume when none was yielded', async () => {
    const house = openHouse();
    const token = await atFetch(house);
    await expect(house.sessions.present(token)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(house.sessions.resume(token)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });
});
