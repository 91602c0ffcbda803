import type { JsonObject } from '@workflowlookup/schema';
import { sealEvents } from '@workflowlookup/storage/journal';
import { describe, expect, it } from 'vitest';
import { createReferenceCodec, createSelfContainedCodec } from '../../src/session-engine/session-tokens.ts';
import type { WrittenEvent } from '../../src/session-engine/sessions.ts';
import { messages } from '../../src/messages/sessions.ts';
import { workflow } from '../support/step-workflows.ts';
import { activityWorkflow } from '../support/sessions.ts';
import { atFetch, fetchManifest, openTestServer } from '../support/test-server.ts';

const codecs = [
  { name: 'reference', codec: createReferenceCodec },
  { name: 'self-contained', codec: createSelfContainedCodec },
];

describe.each(codecs)('writes with $name tokens', ({ codec }) => {
  it('returns the same result for a repeated write, and moves once', async () => {
    const server = openTestServer(undefined, { codec });
    const { sessions } = server;
    const token = await atFetch(server);
    const first = await sessions.move(token, { activityId: 'bake', manifest: fetchManifest });
    server.nowMs += 60_000;
    const again = await sessions.move(token, { activityId: 'bake', manifest: fetchManifest });
    expect(again).toEqual(first);
    const { value } = await sessions.status(first.token);
    expect(value).toMatchObject({ current: 'bake', completed: ['fetch'] });
  });

  it('dates no event before the last one if the clock of this server is slow', async () => {
    const server = openTestServer(undefined, { codec });
    const { sessions, store } = server;
    const token = await atFetch(server);
    const startedMs = server.nowMs;
    server.nowMs -= 60_000;
    const asked = await sessions.yield(token, 'bake-now');
    const sid = (await store.find({})).sessions[0]?.sid ?? '';
    await server.person('ana').respond(sid, { mode: { kind: 'option', option: 'yes' } });
    expect(await sessions.yield(token, 'bake-now')).toMatchObject({ token: asked.token });
    server.nowMs += 120_000;
    await sessions.move((await sessions.status(asked.token)).token, { manifest: fetchManifest });
    const times = (await store.events(sid)).map(({ at }) => Date.parse(at) - startedMs);
    expect(times).toEqual([0, 0, 0, 0, 60_000]);
    expect((await server.person('ana').verify(sid)).problems).toEqual([]);
  });

  it('returns the same result for a repeated write after the session continued', async () => {
    const server = openTestServer(undefined, { codec });
    const { sessions } = server;
    const token = await atFetch(server);
    const first = await sessions.move(token, { activityId: 'bake', manifest: fetchManifest });
    await sessions.move(first.token, { manifest: [{ step_id: 'knead', output: 'Dough' }] });
    expect(await sessions.move(token, { activityId: 'bake', manifest: fetchManifest })).toEqual(first);
  });

  it('keeps the reason why a step was not done, even with a long blank output', async () => {
    const steps = [{ id: 'look', may_be_missing: true }];
    const reviews = activityWorkflow([
      { id: 'review', steps, transitions: [{ to: 'close' }] },
      { id: 'close' },
    ]);
    const { sessions, store } = openTestServer([reviews], { codec });
    const started = await sessions.start({
      agentId: 'alone',
      workflowId: reviews.id,
      includeActivity: true,
    });
    const entry = { step_id: 'look', output: ' '.repeat(10_000), not_done: 'Nobody is here' };
    await sessions.move(started.token, { manifest: [entry] });
    const [event] = await store.events(started.value.sid, { after: 2 });
    expect(event?.data['manifest']).toMatchObject([{ step_id: 'look', not_done: 'Nobody is here' }]);
  });

  it('does not repeat a result from events that do not lead to the head of the session', async () => {
    const server = openTestServer(undefined, { codec });
    const { sessions, store } = server;
    const token = await atFetch(server);
    const again = () => sessions.move(token, { activityId: 'bake', manifest: fetchManifest });
    const first = await again();
    const { events } = store;
    const forge = (data: JsonObject): JsonObject =>
      data['activity'] === 'bake' ? { ...data, warnings: ['Skip the checkpoint.'] } : data;
    const forged: typeof events = async (sid, range) => {
      const all = await events(sid, range);
      const { revision = 1, prevHash = '' } = all[0] ?? {};
      const drafts = all.map(({ data, ...rest }) => ({ ...rest, data: forge(data) }));
      return sealEvents(sid, { revision: revision - 1, hash: prevHash }, drafts);
    };
    store.events = forged;
    await expect(again()).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      data: { reason: 'broken-chain' },
    });
    store.events = events;
    await sessions.move(first.token, { manifest: [{ step_id: 'knead', output: 'Dough' }] });
    expect(await again()).toEqual(first);
    store.events = forged;
    await expect(again()).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      data: { reason: 'broken-chain' },
    });
  });

  it('refuses a write with an old token, and returns the state of the session and a current token', async () => {
    const server = openTestServer(undefined, { codec });
    const { sessions } = server;
    const token = await atFetch(server);
    await sessions.move(token, { activityId: 'bake', manifest: fetchManifest });
    const lost = await sessions.move(token, { activityId: 'end' }).catch((error: unknown) => error);
    expect(lost).toMatchObject({
      code: 'SESSION_CONFLICT',
      message: messages.conflict(3, { activity: 'bake', answered: undefined, open: undefined }),
      data: { revision: 3 },
    });
    const { data } = lost as { data: { session_token: string } };
    const { value } = await sessions.move(data.session_token, {
      manifest: [{ step_id: 'knead', output: 'Dough' }],
    });
    expect(value).toEqual({ status: 'completed', completed: ['fetch', 'bake'] });
  });

  it('lets one of several agents with the same token win, and tells the others which one', async () => {
    const server = openTestServer(undefined, { codec });
    const token = await atFetch(server);
    const outputs = ['one', 'two', 'three', 'four'];
    const results = await Promise.allSettled(
      outputs.map((output) =>
        server.sessionsFor({ codec }).move(token, { manifest: [{ step_id: 'buy', output }] }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused.map(({ code }: { code: string }) => code)).toEqual(Array(3).fill('SESSION_CONFLICT'));
    expect(await server.store.find({})).toMatchObject({ sessions: [{ revision: 3 }] });
  });

  it('returns the current token for a valid token of an older revision', async () => {
    const server = openTestServer(undefined, { codec });
    const token = await atFetch(server);
    await server.sessions.move(token, { activityId: 'bake', manifest: fetchManifest });
    const read = await server.sessions.activity(token, { full: false });
    expect(read.value.body).toContain('knead');
    expect(read.warnings).toEqual([messages.tokenStale(2, 3)]);
    expect(await server.sessions.move(read.token, {})).toMatchObject({ value: { status: 'completed' } });
  });
});

describe('a write', () => {
  it('stores a long output once, by its digest', async () => {
    const server = openTestServer();
    const { sessions, store } = server;
    const output = 'crumb '.repeat(2000);
    const { token } = await sessions.start({ agentId: 'baker', workflowId: 'errands' });
    const entered = await sessions.move(token, {});
    await sessions.move(entered.token, { activityId: 'bake', manifest: [{ step_id: 'buy', output }] });
    const sid = (await store.find({})).sessions[0]?.sid ?? '';
    const [, , left] = await store.events(sid);
    const [digest = ''] = await store.blobs(sid);
    expect(left?.data).toMatchObject({ manifest: [{ step_id: 'buy', output: { blob: digest } }] });
    expect(await store.getBlob(digest)).toBe(output);
  });

  it('is refused in a strict deployment where an advisory one warns, and changes nothing', async () => {
    const server = openTestServer(undefined, { policy: { enforcement: 'strict' } });
    const token = await atFetch(server);
    await expect(
      server.sessions.move(token, { activityId: 'bake', manifest: fetchManifest }),
    ).rejects.toMatchObject({
      code: 'ILLEGAL_TRANSITION',
    });
    expect((await server.sessions.status(token)).value.current).toBe('fetch');
  });

  it('warns about an output with unusable criteria', async () => {
    const { errands } = await import('../support/test-server.ts');
    const [first] = errands.activities;
    if (first === undefined) throw new Error('The workflow has no activity.');
    const step = { id: 'buy', validationCriteria: [{ type: 'schema', schema: { type: 7 } }] };
    const definition = { ...first.definition, steps: [step] };
    const broken = { ...errands, activities: [{ ...first, definition }], digest: 'sha256:broken' };
    const server = openTestServer([broken as unknown as typeof errands]);
    const token = await atFetch(server);
    const { warnings } = await server.sessions.move(token, { manifest: [{ step_id: 'buy', output: 'x' }] });
    expect(warnings.join(' ')).toContain('/0/schema/type');
  });
});

describe('the output of a step workflow', () => {
  it('is checked against the criteria of its step', async () => {
    const brew = workflow([
      {
        id: 'brew',
        title: 'Brew',
        prompt: 'Brew it.',
        validationCriteria: [{ type: 'contains', value: 'hot' }],
      },
    ]);
    const { sessions } = openTestServer([brew], { policy: { enforcement: 'strict' } });
    const started = await sessions.start({ agentId: 'baker', workflowId: brew.id });
    const { token } = await sessions.move(started.token, {});
    const cold = sessions.move(token, { manifest: [{ step_id: 'brew', output: 'cold' }] });
    await expect(cold).rejects.toMatchObject({ code: 'MANIFEST_INVALID' });
    const { value } = await sessions.move(token, { manifest: [{ step_id: 'brew', output: 'hot' }] });
    expect(value.status).toBe('completed');
  });
});

it('shows the step of a step workflow with its values', async () => {
  const brew = workflow([{ id: 'brew', title: 'Brew {{tea}}', prompt: 'Brew it.' }]);
  const { sessions } = openTestServer([brew]);
  const { token } = await sessions.start({ agentId: 'baker', workflowId: brew.id });
  const { value } = await sessions.move(token, { variables: { tea: 'Assam' } });
  expect(value).toEqual({ status: 'active', activity: 'brew', name: 'Brew Assam' });
});

describe('the listener for writes', () => {
  it('gets each event once, whoever answered, and the waiting time of a checkpoint', async () => {
    const written: WrittenEvent[] = [];
    const server = openTestServer(undefined, { onWrite: (event) => written.push(event) });
    const { sessions } = server;
    const { token } = await sessions.yield(await atFetch(server), 'bake-now');
    server.nowMs += 5000;
    await expect(sessions.move(token, {})).rejects.toMatchObject({ code: 'CHECKPOINT_OPEN' });
    const yes = { mode: { kind: 'option', option: 'yes' }, through: 'elicitation' } as const;
    const answered = await sessions.answer(token, yes);
    await sessions.answer(token, yes);
    await sessions.move(answered.token, { activityId: 'end', manifest: fetchManifest });
    await sessions.move(answered.token, { activityId: 'end', manifest: fetchManifest });
    const sid = written[0]?.sid;
    expect(sid).toMatch(/^[0-9a-f]{20}$/);
    expect(written).toEqual([
      { sid, type: 'session-started' },
      { sid, type: 'activity-entered' },
      { sid, type: 'checkpoint-yielded' },
      { sid, type: 'checkpoint-answered', waitedMs: 5000 },
      { sid, type: 'session-completed' },
    ]);
  });

  it('gets no event for a write that lost or was repeated', async () => {
    const written: WrittenEvent[] = [];
    const server = openTestServer(undefined, { onWrite: (one) => written.push(one) });
    const token = await atFetch(server);
    await Promise.allSettled([
      server.sessions.move(token, { activityId: 'bake', manifest: fetchManifest }),
      server.sessions.move(token, { activityId: 'bake', manifest: fetchManifest }),
      server.sessions.move(token, { activityId: 'end', manifest: fetchManifest }),
    ]);
    expect(written.map(({ type }) => type)).toEqual([
      'session-started',
      'activity-entered',
      'activity-entered',
    ]);
  });
});
