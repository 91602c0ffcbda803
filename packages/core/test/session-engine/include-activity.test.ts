import { describe, expect, it } from 'vitest';
import type { Moved, Sessions } from '../../src/session-engine/sessions.ts';
import { workflow as steps } from '../support/step-workflows.ts';
import { resource, skill, workflow as library } from '../support/bakery.ts';
import { activityWorkflow } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';
import { errands, fetchManifest, openTestServer } from '../support/test-server.ts';

const meta = library('meta', {
  definition: { operationsFor: { orchestrator: [], worker: ['crew::follow'] } },
  skills: [skill({ id: 'crew', operations: { follow: { description: 'Follows' } } })],
  resources: [resource('00', 'guide', { body: 'Begin with a look around.' })],
});

const included = { includeActivity: true };

async function begin({ sessions }: TestServer, workflowId = 'errands', agentId = 'baker') {
  return sessions.start({ agentId, workflowId, ...included });
}

async function tracedBy(sessions: Sessions, token: string) {
  const { value } = await sessions.trace(token);
  return value.events.map(({ name, act, rev }) => ({ name, act, rev }));
}

describe('a session that starts at its first activity', () => {
  it('writes both events at once, and returns the same as reading the activity', async () => {
    const written: string[] = [];
    const server = openTestServer([errands, meta], { onWrite: ({ type }) => written.push(type) });
    const { value, token, warnings } = await begin(server);
    expect(warnings).toEqual([]);
    expect(written).toEqual(['session-started', 'activity-entered']);
    const again = await server.sessions.activity(token, { full: true });
    const { body } = again.value;
    const activity = { bundle: expect.stringContaining('Follows'), body };
    expect(value.arrival).toEqual({ kind: 'activity', activity, rules: [] });
    expect(await tracedBy(server.sessions, token)).toEqual([
      { name: 'start', act: 'fetch', rev: 2 },
      { name: 'read-activity', act: 'fetch', rev: 2 },
      { name: 'read-activity', act: 'fetch', rev: 2 },
    ]);
    const moved = await server.sessions.move(token, { manifest: fetchManifest, variables: { hot: true } });
    expect(moved.value).toEqual({ status: 'active', activity: 'bake', name: 'Name of bake' });
    const { sessions } = await server.store.find({});
    expect(sessions).toHaveLength(1);
    expect(await server.store.events(value.sid)).toMatchObject([
      { type: 'session-started' },
      { type: 'activity-entered', data: { activity: 'fetch' } },
      { type: 'activity-entered', data: { activity: 'bake' } },
    ]);
  });

  it('names the rules of its workflow', async () => {
    const server = openTestServer([activityWorkflow([{ id: 'one' }], { id: 'ruled', rules: ['Be kind.'] })]);
    expect((await begin(server, 'ruled')).value.arrival).toMatchObject({ rules: ['Be kind.'] });
  });

  it('returns several entry points without entering one', async () => {
    const server = openTestServer([
      activityWorkflow([{ id: 'one', transitions: [{ to: 'three' }] }, { id: 'two' }, { id: 'three' }]),
    ]);
    const { value, token } = await begin(server, 'graph');
    const choice = {
      kind: 'choice',
      entryPoints: [
        { id: 'one', name: 'Name of one' },
        { id: 'two', name: 'Name of two' },
      ],
    };
    expect(value.arrival).toEqual(choice);
    expect((await server.sessions.status(token)).value).not.toHaveProperty('current');
    const back = await server.sessions.start({ agentId: 'baker', sessionToken: token, ...included });
    expect(back.value.arrival).toEqual(choice);
    const moved = await server.sessions.move(token, { activityId: 'two' }, included);
    expect(moved.warnings).toEqual([]);
    expect(moved.value).toMatchObject({ activity: 'two', reading: { body: expect.stringContaining('two') } });
  });

  it('offers no entry point after a checkpoint that needs a person', async () => {
    const asking = {
      checkpoints: [
        {
          id: 'permit',
          name: 'Permit',
          message: 'May it?',
          approver: 'human' as const,
          options: [{ id: 'yes', label: 'Yes' }],
        },
      ],
    };
    const server = openTestServer([
      activityWorkflow([
        { id: 'ask', ...asking, transitions: [{ to: 'do' }] },
        { id: 'do' },
        { id: 'away', transitions: [{ to: 'do' }] },
      ]),
    ]);
    const { value, token } = await begin(server, 'graph');
    expect(value.arrival).toMatchObject({ kind: 'activity' });
    expect((await server.sessions.status(token)).value.current).toBe('ask');
  });

  it('starts at the required activity of a strict session, even if others could be entered', async () => {
    const server = openTestServer([
      activityWorkflow([{ id: 'one' }, { id: 'two' }], { enforcement: 'strict' }),
    ]);
    const { token, value } = await begin(server, 'graph');
    expect(value.arrival).toMatchObject({ kind: 'activity' });
    expect((await server.sessions.status(token)).value.current).toBe('one');
  });

  it('returns a status instead if no activity can be entered', async () => {
    const server = openTestServer([
      activityWorkflow([{ id: 'one' }], { initialActivity: 'gone' }),
      steps([{ id: 'measure', runCondition: { var: 'ready', equals: true } }]),
    ]);
    const lost = await begin(server, 'graph');
    expect(lost.value.arrival).toMatchObject({ kind: 'status', status: { status: 'active' } });
    expect(await server.store.events(lost.value.sid)).toHaveLength(1);
    const idle = await begin(server, 'flow');
    expect(idle.value.arrival).toMatchObject({ kind: 'status', status: { status: 'active' } });
  });

  it('starts nothing when the start is refused', async () => {
    const server = openTestServer([errands]);
    await expect(begin(server, 'nothing')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    await expect(begin(server, 'errands', 'human:root')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await server.store.find({})).sessions).toEqual([]);
  });

  it('reads a step of a step workflow too', async () => {
    const server = openTestServer([steps(['measure', 'cut'])]);
    expect((await begin(server, 'flow')).value.arrival).toMatchObject({
      kind: 'activity',
      activity: { body: expect.stringContaining('id: measure') },
    });
  });
});

describe('a session that is resumed at its activity', () => {
  it('returns the activity with all operations, by its id too', async () => {
    const server = openTestServer([errands, meta]);
    const { value, token } = await begin(server);
    for (const sessionToken of [token, value.sid]) {
      const back = await server.sessions.start({ agentId: 'baker', sessionToken, ...included });
      expect(back.value.arrival).toEqual(value.arrival);
      expect(back.value).toMatchObject({ inherited: true });
    }
    expect(await server.store.events(value.sid)).toHaveLength(2);
  });

  it('enters the first activity if the agent did not', async () => {
    const server = openTestServer([errands]);
    const { token } = await server.sessions.start({ agentId: 'baker', workflowId: 'errands' });
    const back = await server.sessions.start({ agentId: 'baker', sessionToken: token, ...included });
    expect(back.value.arrival).toMatchObject({ kind: 'activity' });
    const { value } = await server.sessions.status(back.token);
    expect(value.current).toBe('fetch');
  });

  it('returns the possible calls while a checkpoint is open, and at the end', async () => {
    const server = openTestServer([errands]);
    const { value, token } = await begin(server);
    const yielded = await server.sessions.yield(token, 'bake-now');
    const again = async () =>
      (await server.sessions.start({ agentId: 'baker', sessionToken: value.sid, ...included })).value.arrival;
    expect(await again()).toMatchObject({
      status: { status: 'blocked', next: [{ kind: 'present' }, { kind: 'answer' }] },
    });
    server.nowMs += 5000;
    const answered = await server.sessions.answer(yielded.token, { mode: { kind: 'option', option: 'no' } });
    await server.sessions.move(answered.token, { manifest: fetchManifest });
    expect(await again()).toMatchObject({ status: { status: 'completed', completed: ['fetch'] } });
  });
});

describe('a call that returns the next activity', () => {
  it('returns the same as reading it, and the same end as without it', async () => {
    const server = openTestServer([errands, meta]);
    const { token } = await begin(server);
    const moved = await server.sessions.move(
      token,
      { manifest: fetchManifest, variables: { hot: true } },
      included,
    );
    expect(moved.value).toMatchObject({ activity: 'bake', name: 'Name of bake' });
    expect(moved.traceToken).toBeDefined();
    const read = await server.sessions.activity(moved.token, { full: false });
    expect(moved.value).toMatchObject({ reading: { bundle: '', body: read.value.body } });
    expect((await tracedBy(server.sessions, moved.token)).slice(-3)).toEqual([
      { name: 'move', act: 'fetch', rev: 2 },
      { name: 'read-activity', act: 'bake', rev: 3 },
      { name: 'read-activity', act: 'bake', rev: 3 },
    ]);
    const manifest = [{ step_id: 'knead', output: 'Kneaded' }];
    const end = await server.sessions.move(moved.token, { manifest }, included);
    expect(end.value).toEqual({ status: 'completed', completed: ['fetch', 'bake'] });
  });

  it('returns the activity and its operations for a repeated call, even if the session has moved on', async () => {
    const server = openTestServer([errands, meta]);
    const { token } = await begin(server);
    const request = { manifest: fetchManifest, variables: { hot: true } };
    const first = await server.sessions.move(token, request);
    const repeated = await server.sessions.move(token, request, included);
    expect(repeated.value).toMatchObject({
      ...first.value,
      reading: { bundle: expect.stringContaining('Follows') },
    });
    await server.sessions.move(first.token, { manifest: [{ step_id: 'knead', output: 'Kneaded' }] });
    const late = await server.sessions.move(token, request, included);
    expect(late.value).toEqual(repeated.value);
    expect(late.token).toBe(repeated.token);
  });

  it('changes nothing and reads nothing when it is refused', async () => {
    const server = openTestServer([errands], { policy: { enforcement: 'strict' } });
    const { token, value } = await begin(server);
    const before = await server.store.events(value.sid);
    await expect(server.sessions.move(token, { manifest: [] }, included)).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
    });
    expect(await server.store.events(value.sid)).toEqual(before);
    expect((await tracedBy(server.sessions, token)).map(({ name }) => name)).toEqual([
      'start',
      'read-activity',
      'move',
    ]);
  });

  it('returns the activity after an answer', async () => {
    const server = openTestServer([errands, meta]);
    const { token } = await begin(server);
    const yielded = await server.sessions.yield(token, 'bake-now');
    const wait = { waitMs: 0 };
    await expect(server.sessions.resume(yielded.token, wait, included)).rejects.toMatchObject({
      code: 'CHECKPOINT_OPEN',
    });
    server.nowMs += 5000;
    const answered = await server.sessions.answer(yielded.token, { mode: { kind: 'option', option: 'yes' } });
    const resumed = await server.sessions.resume(answered.token, wait, included);
    const read = await server.sessions.activity(answered.token, { full: false });
    expect(resumed.value).toEqual({ reading: { bundle: '', body: read.value.body } });
    expect((await server.sessions.resume(answered.token)).value).toEqual({});
  });
});

describe('the operations that come with an activity', () => {
  const shared = library('meta', {
    definition: {
      operationsFor: { orchestrator: ['crew::lead'], worker: ['crew::follow'], solo: ['crew::rest'] },
    },
    skills: [
      skill({
        id: 'crew',
        operations: {
          lead: { description: 'Leads' },
          follow: { description: 'Follows' },
          rest: { description: 'Rests' },
          sing: { description: 'Sings' },
        },
        rules: { quiet: 'Be quiet.' },
      }),
    ],
  });
  const concert = activityWorkflow(
    [
      { id: 'one', transitions: [{ to: 'two' }] },
      { id: 'two', operations: ['crew::sing'], transitions: [{ to: 'three' }] },
      { id: 'three', operations: ['crew::sing'] },
    ],
    { id: 'concert' },
  );
  const words = ['Leads', 'Follows', 'Rests', 'Sings', 'quiet'];
  const found = (bundle = ''): readonly string[] => words.filter((word) => bundle.includes(word));
  const bundleIn = ({ value }: { readonly value: Moved }): string | undefined =>
    value.status === 'active' ? value.reading?.bundle : undefined;

  async function play() {
    const server = openTestServer([concert, shared]);
    const { value, token } = await begin(server, 'concert');
    if (value.arrival?.kind !== 'activity') throw new Error('The reply contains no activity.');
    return { server, token, sid: value.sid, first: value.arrival.activity.bundle };
  }

  it('are those for an agent that works alone, each sent once', async () => {
    const { server, token, first } = await play();
    expect(found(first)).toEqual(['Rests', 'quiet']);
    const second = await server.sessions.move(token, {}, included);
    expect(found(bundleIn(second))).toEqual(['Sings']);
    const third = await server.sessions.move(second.token, {}, included);
    expect(bundleIn(third)).toBe('');
    const whole = await server.sessions.activity(third.token, { full: true });
    expect(found(whole.value.bundle)).toEqual(['Rests', 'Sings', 'quiet']);
  });

  it.each(['a second agent', 'a child'])('are those of a worker once there is %s', async (who) => {
    const { server, token, sid } = await play();
    const other = {
      agentId: 'other',
      ...(who === 'a child' ? { parentToken: token, workflowId: 'concert' } : { sessionToken: sid }),
    };
    await server.sessions.start(other);
    const second = await server.sessions.move(token, {}, included);
    expect(found(bundleIn(second))).toEqual(['Follows', 'Sings']);
  });

  it('are sent again when the agent resumes the session', async () => {
    const { server, sid } = await play();
    const back = await server.sessions.start({ agentId: 'baker', sessionToken: sid, ...included });
    expect(back.value.arrival).toMatchObject({ activity: { bundle: expect.stringContaining('Rests') } });
  });
});
