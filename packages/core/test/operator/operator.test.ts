import { describe, expect, it } from 'vitest';
import type { TestServer } from '../support/test-server.ts';
import { atFetch, errands, fetchManifest, openTestServer } from '../support/test-server.ts';
import { activityWorkflow } from '../support/sessions.ts';
import { workflow as steps } from '../support/step-workflows.ts';

const yes = { mode: { kind: 'option', option: 'yes' } } as const;
const no = { mode: { kind: 'option', option: 'no' } } as const;

async function sidOf({ store }: TestServer): Promise<string> {
  const { sessions } = await store.find({});
  return sessions[0]?.sid ?? '';
}

/** Starts a session that waits for a person. */
async function waiting(): Promise<{ server: TestServer; sid: string; token: string }> {
  const server = openTestServer(undefined, { policy: { gates: 'human' } });
  const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
  return { server, sid: await sidOf(server), token };
}

describe('the answer of a person', () => {
  it('resolves a checkpoint that no agent may answer', async () => {
    const { server, sid, token } = await waiting();
    await expect(server.sessions.answer(token, yes)).rejects.toMatchObject({ code: 'HUMAN_REQUIRED' });
    const ana = server.person('ana', { gates: 'human' });
    expect(await ana.present(sid)).toMatchObject({
      answeredBy: 'person',
      checkpoint: { message: 'Bake with rye?' },
    });
    expect(await ana.respond(sid, { ...yes, note: 'Smells good' })).toMatchObject({
      checkpoint: 'bake-now',
      answer: { kind: 'option', option: 'yes' },
      effect: { setVariable: { hot: true } },
      revision: 4,
    });
    const { token: next } = await server.sessions.resume(token);
    const { value } = await server.sessions.move(next, { manifest: fetchManifest });
    expect(value).toMatchObject({ activity: 'bake' });
  });

  it('is required on every server after a server required it', async () => {
    const { server, sid, token } = await waiting();
    const elsewhere = server.sessionsFor({ policy: { gates: 'declared' } });
    server.nowMs += 60_000;
    await expect(elsewhere.answer(token, yes)).rejects.toMatchObject({ code: 'HUMAN_REQUIRED' });
    expect((await elsewhere.status(token)).value.next).toMatchObject([{ kind: 'present' }, { by: 'human' }]);
    expect(await server.person('ana', { gates: 'declared' }).present(sid)).toMatchObject({
      answeredBy: 'person',
    });
  });

  it('is requested with the end of the timer, unless only a person can answer', async () => {
    const timed = { defaultOption: 'yes', autoAdvanceMs: 60_000, options: [{ id: 'yes', label: 'Yes' }] };
    const checkpoint = { id: 'bake-now', name: 'Bake?', message: 'Bake?', ...timed };
    const workflow = activityWorkflow(
      [{ id: 'fetch', steps: [{ id: 'ask', checkpoint: 'bake-now' }], checkpoints: [checkpoint] }],
      { id: 'errands' },
    );
    for (const gates of ['declared', 'human'] as const) {
      const server = openTestServer([workflow], { policy: { gates } });
      await server.sessions.yield(await atFetch(server), 'bake-now');
      const summary = await server.person('ana', { gates }).checkpoint(await sidOf(server));
      expect(summary?.needsHuman).toBe(gates === 'human');
      expect(summary?.timerEndsAt !== undefined).toBe(gates === 'declared');
    }
  });

  it('is recorded with the name and the note of the person, and in the trace', async () => {
    const { server, sid } = await waiting();
    await server.person('ana').respond(sid, { ...yes, note: 'Smells good' });
    const [event] = await server.person('ana').events(sid, { after: 3 });
    expect(event?.event).toMatchObject({ by: 'human', person: 'ana', note: 'Smells good' });
    const calls = await server.store.calls(sid);
    expect(calls.at(-1)?.call).toMatchObject({ name: 'answer', aid: 'human:ana', s: 'ok' });
  });

  it('shows the note of the person to the agent in every reading', async () => {
    const { server, sid, token } = await waiting();
    await server.person('ana').respond(sid, { ...yes, note: 'Use rye' });
    const words = [{ checkpoint: 'bake-now', answer: 'yes', words: 'Use rye' }];
    const resumed = await server.sessions.resume(token, undefined, { includeActivity: true });
    expect(resumed.value).toMatchObject({ notes: words });
    expect(resumed.value.reading?.body).toContain('Use rye');
    const status = await server.sessions.status(resumed.token);
    expect(status.value.lastAnswer).toMatchObject({ checkpoint: 'bake-now', note: 'Use rye' });
    const { value: trace } = await server.sessions.trace(resumed.token);
    expect(trace.events).toContainEqual(expect.objectContaining({ name: 'answer', note: 'Use rye' }));
    const moved = await server.sessions.move(resumed.token, { manifest: fetchManifest });
    expect((await server.sessions.activity(moved.token, { full: false })).value.body).toContain('Use rye');
  });

  it('is recorded with the time when the agent received it', async () => {
    const { server, sid, token } = await waiting();
    const ana = server.person('ana');
    const answered = async (): Promise<unknown> => (await ana.history(sid)).checkpoints[0]?.answered;
    await ana.respond(sid, yes);
    expect(await answered()).not.toHaveProperty('receivedAt');
    server.nowMs += 60_000;
    await server.sessions.skills(token).catch(() => undefined);
    expect(await answered()).not.toHaveProperty('receivedAt');
    await server.sessions.resume(token);
    const receivedAt = new Date(server.nowMs).toISOString();
    expect(await answered()).toMatchObject({ receivedAt });
    server.nowMs += 60_000;
    await server.sessions.status(token);
    expect(await answered()).toMatchObject({ receivedAt });
  });

  it('does not count as a call of an agent, unlike a refused call', async () => {
    const { server, sid, token } = await waiting();
    const ana = server.person('ana');
    const calledAt = new Date(server.nowMs).toISOString();
    expect(await ana.history(sid)).toMatchObject({ lastCallAt: calledAt });
    server.nowMs += 60_000;
    await ana.respond(sid, yes);
    expect(await ana.history(sid)).toMatchObject({ lastCallAt: calledAt });
    await server.sessions.skills(token).catch(() => undefined);
    expect(await ana.history(sid)).toMatchObject({ lastCallAt: new Date(server.nowMs).toISOString() });
  });

  it('counts as received if a call waited for it', async () => {
    const { server, sid, token } = await waiting();
    const ana = server.person('ana');
    const waits = server.sessionsFor({
      async pause() {
        server.nowMs += 5000;
        await ana.respond(sid, yes);
      },
    });
    await waits.resume(token, { waitMs: 30_000 });
    const receivedAt = new Date(server.nowMs).toISOString();
    expect((await ana.history(sid)).checkpoints).toMatchObject([{ answered: { receivedAt } }]);
  });

  it('is shortened in a long status, and complete in the activity', async () => {
    const { server, sid, token } = await waiting();
    // JSON writes each of them with two characters.
    const note = '"'.repeat(2000);
    await server.person('ana').respond(sid, { ...yes, note });
    const { value, token: next } = await server.sessions.status(token);
    expect(JSON.stringify(value).length).toBeLessThan(2800);
    expect(value.lastAnswer?.note).toMatch(/^"{300}…$/);
    expect((await server.sessions.activity(next, { full: false })).value.body).toContain(
      JSON.stringify(note),
    );
  });

  it('returns the same result when it is repeated, even after the session continued', async () => {
    const { server, sid, token } = await waiting();
    const first = await server.person('ana').respond(sid, yes);
    server.nowMs += 60_000;
    expect(await server.person('ana').respond(sid, yes)).toEqual(first);
    const { token: next } = await server.sessions.resume(token);
    await server.sessions.move(next, { manifest: fetchManifest });
    expect(await server.person('ana').respond(sid, yes)).toEqual(first);
  });

  it.each([
    { who: 'ben', what: yes, name: 'the same answer of another person' },
    { who: 'ana', what: no, name: 'another answer of the same person' },
  ])('conflicts with $name', async ({ who, what }) => {
    const { server, sid } = await waiting();
    await server.person('ana').respond(sid, yes);
    await expect(server.person(who).respond(sid, what)).rejects.toMatchObject({
      code: 'SESSION_CONFLICT',
      data: { answered: { checkpoint: 'bake-now', option: 'yes', by: 'ana' } },
    });
  });

  it('ignores an event of another answer that the journal does not prove', async () => {
    const { server, sid } = await waiting();
    await server.person('ana').respond(sid, yes);
    const events = server.store.events.bind(server.store);
    server.store.events = async (...asked) =>
      (await events(...asked)).map((event) =>
        event.type === 'checkpoint-answered' ? { ...event, data: { ...event.data, person: 'eve' } } : event,
      );
    await expect(server.person('ben').respond(sid, yes)).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      data: { reason: 'broken-chain' },
    });
  });

  it('is valid only for the checkpoint that was shown, not for a later one', async () => {
    const server = openTestServer([errands]);
    const { token } = await server.sessions.yield(await atFetch(server), 'bake-now');
    const sid = await sidOf(server);
    const { revision } = await server.person('ana').present(sid);
    server.nowMs += 3000;
    const { token: after } = await server.sessions.answer(token, no);
    await server.sessions.yield(after, 'bake-now');
    await expect(server.person('ana').respond(sid, { ...yes, revision })).rejects.toMatchObject({
      code: 'SESSION_CONFLICT',
      data: { answered: { option: 'no', by: 'the agent' } },
    });
    expect(await server.person('ana').respond(sid, yes)).toMatchObject({ revision: 6 });
  });

  it('is accepted from only one of several people', async () => {
    const { server, sid } = await waiting();
    const people = ['ana', 'ben', 'cleo', 'dora'].map((name) => server.person(name).respond(sid, yes));
    const results = await Promise.allSettled(people);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(refused).toMatchObject(Array.from({ length: 3 }, () => ({ code: 'SESSION_CONFLICT' })));
  });

  it('needs an open checkpoint, one of its options, and a session', async () => {
    const server = openTestServer();
    const token = await atFetch(server);
    const sid = await sidOf(server);
    await expect(server.person('ana').present(sid)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(server.person('ana').respond(sid, yes)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await server.sessions.yield(token, 'bake-now');
    const perhaps = { mode: { kind: 'option', option: 'perhaps' } } as const;
    await expect(server.person('ana').respond(sid, perhaps)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      data: { option_id: 'perhaps' },
    });
    await expect(server.person('ana').respond('none', yes)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('abandoning a session', () => {
  it('ends it at its activity, and a second person gets an error', async () => {
    const { server, sid, token } = await waiting();
    const first = await server.person('ana').abandon(sid);
    expect(await server.person('ana').abandon(sid)).toEqual(first);
    await expect(server.person('ben').abandon(sid)).rejects.toMatchObject({ code: 'SESSION_COMPLETED' });
    expect((await server.sessions.status(token)).value).toMatchObject({
      status: 'completed',
      outcome: 'abandoned',
    });
    const { value } = await server.sessions.trace(token);
    expect(value.events.find(({ name }) => name === 'abandon')).toMatchObject({ aid: 'human:ana' });
    expect(await server.person('ana').history(sid)).toMatchObject({ outcome: 'abandoned' });
  });
});

describe('the history of a session', () => {
  it('compares the plan with what was done', async () => {
    const { server, sid, token } = await waiting();
    await server.sessions.answer(token, yes).catch(() => undefined);
    server.nowMs += 5000;
    await server.person('ana').respond(sid, { ...yes, note: 'Go' });
    const history = await server.person('ben').history(sid);
    expect(history).toMatchObject({
      title: 'Graph',
      plan: [
        { id: 'fetch', status: 'current', visits: 1, seconds: 0, waited: 5 },
        { id: 'bake', status: 'ahead', visits: 0 },
      ],
      checkpoints: [
        {
          checkpoint: 'bake-now',
          yieldedAt: '2026-03-01T10:00:00.000Z',
          answered: { at: '2026-03-01T10:00:05.000Z', by: 'human', person: 'ana', note: 'Go' },
        },
      ],
      refusals: [{ name: 'answer', aid: 'baker', err: expect.stringContaining('HUMAN_REQUIRED') }],
      participants: [
        { id: 'baker', kind: 'agent', calls: 4 },
        { id: 'human:ana', kind: 'human', calls: 1 },
      ],
      variables: [{ name: 'hot', to: true, revision: 4 }],
      chain: { ok: true, events: 4 },
    });
    expect(history.variables[0]).not.toHaveProperty('from');
  });

  it('includes a refused output with its unmet criteria', async () => {
    const judged = activityWorkflow([
      { id: 'write', steps: [{ id: 'page', validationCriteria: [{ type: 'length', min: 10 }] }] },
    ]);
    const server = openTestServer([judged], { policy: { enforcement: 'strict' } });
    const { token } = await server.sessions.start({ agentId: 'baker', workflowId: judged.id });
    const { token: there } = await server.sessions.move(token, {});
    const given = (output: string): Promise<unknown> =>
      server.sessions.move(there, { manifest: [{ step_id: 'page', output }] });
    await expect(given('Short.')).rejects.toMatchObject({ code: 'MANIFEST_INVALID' });
    const { refusals } = await server.person('ben').history(await sidOf(server));
    expect(refusals).toMatchObject([
      { name: 'move', rj: [{ step: 'page', output: 'Short.', issues: [expect.any(String)] }] },
    ]);
  });

  it('distinguishes a transition that was not taken from one that is still open', async () => {
    const forked = activityWorkflow([
      {
        id: 'fork',
        transitions: [
          { to: 'left', condition: 'left == true' },
          { to: 'right', isDefault: true },
        ],
      },
      { id: 'left', transitions: [{ to: 'join' }] },
      { id: 'right', transitions: [{ to: 'join' }] },
      { id: 'join', transitions: [{ to: 'end' }] },
    ]);
    const server = openTestServer([forked]);
    const { token } = await server.sessions.start({ agentId: 'a', workflowId: forked.id });
    const { token: atFork } = await server.sessions.move(token, {});
    await server.sessions.move(atFork, { activityId: 'right' });
    const { plan } = await server.person('ana').history(await sidOf(server));
    expect(plan.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'fork done',
      'left skipped',
      'right current',
      'join ahead',
    ]);
  });

  it('shows activities that must be done again as ahead, once an answer sends the session back', async () => {
    const ask = { id: 'ask', checkpoint: 'ship' };
    const ship = {
      id: 'ship',
      name: 'Ship?',
      message: 'Ship?',
      options: [
        { id: 'yes', label: 'Yes', effect: { transitionTo: 'ship' } },
        { id: 'no', label: 'No', effect: { transitionTo: 'build' } },
      ],
    };
    const sentBack = activityWorkflow([
      { id: 'plan', transitions: [{ to: 'build' }] },
      { id: 'build', transitions: [{ to: 'review' }] },
      {
        id: 'review',
        transitions: [
          { to: 'fix', condition: 'broken == true' },
          { to: 'gate', isDefault: true },
        ],
      },
      { id: 'fix', transitions: [{ to: 'build' }] },
      { id: 'gate', steps: [ask], checkpoints: [ship], transitions: [{ to: 'ship' }] },
      { id: 'ship', transitions: [{ to: 'end' }] },
    ]);
    const server = openTestServer([sentBack]);
    const ana = server.person('ana');
    let { token } = await server.sessions.start({ agentId: 'a', workflowId: sentBack.id });
    const sid = await sidOf(server);
    const look = async (): Promise<string> => {
      const { plan } = await ana.history(sid);
      const { done } = (await ana.summary(sid))?.progress ?? {};
      return [...plan.map(({ id, status }) => `${id} ${status}`), done].join(', ');
    };
    const move = async (
      activityId: string,
      manifest: readonly { step_id: string; output: string }[] = [],
    ): Promise<string> => {
      ({ token } = await server.sessions.move(token, { activityId, manifest }));
      return look();
    };
    await move('plan');
    await move('build');
    // A transition could lead back to `build`, but the session has not gone back.
    expect(await move('review')).toBe(
      'plan done, build done, review current, fix ahead, gate ahead, ship ahead, 2',
    );
    expect(await move('gate')).toMatch(/^plan done, build done, review done, .*gate current, ship \w+, 3$/);
    ({ token } = await server.sessions.yield(token, 'ship'));
    await ana.respond(sid, no);
    expect(await look()).toBe('plan done, build ahead, review ahead, fix ahead, gate current, ship ahead, 1');
    ({ token } = await server.sessions.resume(token));
    const asked = [{ step_id: 'ask', output: 'Asked.' }];
    expect(await move('build', asked)).toBe(
      'plan done, build current, review ahead, fix ahead, gate ahead, ship ahead, 1',
    );
    expect(await move('review')).toBe(
      'plan done, build done, review current, fix ahead, gate ahead, ship ahead, 2',
    );
    // The only transition of `fix` leads back to `build`.
    expect(await move('fix')).toBe(
      'plan done, build ahead, review ahead, fix current, gate ahead, ship ahead, 1',
    );
  });

  it('counts the iterations of the loops in a step workflow', async () => {
    const server = openTestServer([
      steps([
        'plan',
        {
          id: 'each',
          type: 'loop',
          loop: { type: 'for', count: 2, maxIterations: 5 },
          body: [{ id: 'do', title: 'Do', prompt: 'Do.' }],
        },
        { id: 'never', runCondition: { var: 'x', equals: 1 } },
        'report',
      ]),
    ]);
    let { token } = await server.sessions.start({ agentId: 'a', workflowId: 'flow' });
    for (let move = 0; move < 4; move += 1) ({ token } = await server.sessions.move(token, {}));
    const { plan } = await server.person('ana').history(await sidOf(server));
    expect(plan.map(({ id, status, visits }) => `${id} ${status} ${visits}`)).toEqual([
      'plan done 1',
      'do done 2',
      'never skipped 0',
      'report current 1',
    ]);
  });
});

describe('the sessions in a store', () => {
  it('are found by a prefix of their id', async () => {
    const server = openTestServer();
    for (let at = 0; at < 17; at += 1) await server.sessions.start({ agentId: 'a', workflowId: 'errands' });
    const sid = await sidOf(server);
    const ana = server.person('ana');
    expect(await ana.resolve(sid)).toBe(sid);
    expect(await ana.resolve(sid.slice(0, 12))).toBe(sid);
    await expect(ana.resolve('zz')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(ana.resolve('')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const firsts = (await server.store.find({})).sessions.map((one) => one.sid.charAt(0));
    const shared = firsts.find((letter, at) => firsts.indexOf(letter) !== at) ?? '';
    await expect(ana.resolve(shared)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('are counted by status', async () => {
    const { server, sid } = await waiting();
    const ana = server.person('ana');
    expect(await ana.counts()).toEqual({ active: 0, blocked: 1, parked: 0, completed: 0 });
    await ana.abandon(sid);
    expect(await ana.counts()).toEqual({ active: 0, blocked: 0, parked: 0, completed: 1 });
  });

  it('are pruned, except for the ancestors of an active one', async () => {
    const server = openTestServer([errands, activityWorkflow([{ id: 'a' }], { id: 'errands-child' })]);
    const parent = await atFetch(server);
    await server.sessions.start({ agentId: 'b', workflowId: 'errands-child', parentToken: parent });
    await server.sessions.start({ agentId: 'c', workflowId: 'errands' });
    const ana = server.person('ana');
    const prunable = async (): Promise<readonly string[]> => {
      const found = await ana.prunable({ before: '2027-01-01T00:00:00.000Z', statuses: ['active'] });
      return found.sessions.map(({ agent }) => agent).toSorted((a, b) => a.localeCompare(b));
    };
    expect(await prunable()).toEqual(['b', 'c']);
    await ana.abandon((await ana.find({ workflowId: 'errands-child' })).sessions[0]?.sid ?? '');
    expect(await prunable()).toEqual(['baker', 'c']);
  });

  it('can be exported to another store as lines', async () => {
    const { server, sid } = await waiting();
    await server.person('ana').respond(sid, yes);
    const there = openTestServer();
    await there.person('ben').import(server.person('ana').export(sid));
    expect(await there.person('ben').verify(sid)).toMatchObject({ events: 4, problems: [] });
    expect(await there.person('ben').history(sid)).toMatchObject({
      session: { principal: 'local', imported: { by: 'ben', exportedBy: 'ana', isAuthentic: false } },
      checkpoints: [{ answered: { person: 'ana', isImported: true } }],
    });
    const refused = { code: 'SESSION_UNVERIFIED', data: { reason: 'imported' } };
    await expect(there.person('ben').abandon(sid)).rejects.toMatchObject(refused);
  });
});
