import { describe, expect, it } from 'vitest';
import type { Moved, Sessions } from '../../src/session-engine/sessions.ts';
import { workflow as steps } from '../fixtures.ts';
import { resource, skill, workflow as library } from '../library/bakery.ts';
import { activityWorkflow } from '../session/fixtures.ts';
import type { House } from './house.ts';
import { errands, fetched, openHouse } from './house.ts';

const meta = library('meta', {
  definition: { operationsFor: { orchestrator: [], worker: ['crew::follow'] } },
  skills: [skill({ id: 'crew', operations: { follow: { description: 'Follows' } } })],
  resources: [resource('00', 'guide', { body: 'Begin with a look around.' })],
});

const included = { includeActivity: true };

async function begin({ sessions }: House, workflowId = 'errands', agentId = 'baker') {
  return sessions.start({ agentId, workflowId, ...included });
}

async function tracedBy(sessions: Sessions, token: string) {
  const { value } = await sessions.trace(token);
  return value.events.map(({ name, act, rev }) => ({ name, act, rev }));
}

describe('a session that starts at its first activity', () => {
  it('begins with both events in one write, and returns what reading the activity returns', async () => {
    const written: string[] = [];
    const house = openHouse([errands, meta], { onWrite: ({ type }) => written.push(type) });
    const { value, token, warnings } = await begin(house);
    expect(warnings).toEqual([]);
    expect(written).toEqual(['session-started', 'activity-entered']);
    const again = await house.sessions.activity(token, { full: true });
    const { body } = again.value;
    const activity = { bundle: expect.stringContaining('Follows'), body };
    expect(value.arrival).toEqual({ kind: 'activity', activity, rules: [] });
    expect(await tracedBy(house.sessions, token)).toEqual([
      { name: 'start', act: 'fetch', rev: 2 },
      { name: 'read-activity', act: 'fetch', rev: 2 },
      { name: 'read-activity', act: 'fetch', rev: 2 },
    ]);
    const moved = await house.sessions.move(token, { manifest: fetched, variables: { hot: true } });
    expect(moved.value).toEqual({ status: 'active', activity: 'bake', name: 'Name of bake' });
    const { sessions } = await house.store.find({});
    expect(sessions).toHaveLength(1);
    expect(await house.store.events(value.sid)).toMatchObject([
      { type: 'session-started' },
      { type: 'activity-entered', data: { activity: 'fetch' } },
      { type: 'activity-entered', data: { activity: 'bake' } },
    ]);
  });

  it('names the rules of its workflow', async () => {
    const house = openHouse([activityWorkflow([{ id: 'one' }], { id: 'ruled', rules: ['Be kind.'] })]);
    expect((await begin(house, 'ruled')).value.arrival).toMatchObject({ rules: ['Be kind.'] });
  });

  it('enters none of several entry points, and returns them', async () => {
    const house = openHouse([
      activityWorkflow([{ id: 'one', transitions: [{ to: 'three' }] }, { id: 'two' }, { id: 'three' }]),
    ]);
    const { value, token } = await begin(house, 'graph');
    const choice = {
      kind: 'choice',
      entryPoints: [
        { id: 'one', name: 'Name of one' },
        { id: 'two', name: 'Name of two' },
      ],
    };
    expect(value.arrival).toEqual(choice);
    expect((await house.sessions.status(token)).value).not.toHaveProperty('current');
    const back = await house.sessions.start({ agentId: 'baker', sessionToken: token, ...included });
    expect(back.value.arrival).toEqual(choice);
    const moved = await house.sessions.move(token, { activityId: 'two' }, included);
    expect(moved.warnings).toEqual([]);
    expect(moved.value).toMatchObject({ activity: 'two', reading: { body: expect.stringContaining('two') } });
  });

  it('offers no entry point behind a checkpoint that needs a person', async () => {
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
    const house = openHouse([
      activityWorkflow([
        { id: 'ask', ...asking, transitions: [{ to: 'do' }] },
        { id: 'do' },
        { id: 'away', transitions: [{ to: 'do' }] },
      ]),
    ]);
    const { value, token } = await begin(house, 'graph');
    expect(value.arrival).toMatchObject({ kind: 'activity' });
    expect((await house.sessions.status(token)).value.current).toBe('ask');
  });

  it('starts where a strict session has to, whatever else could be entered', async () => {
    const house = openHouse([activityWorkflow([{ id: 'one' }, { id: 'two' }], { enforcement: 'strict' })]);
    const { token, value } = await begin(house, 'graph');
    expect(value.arrival).toMatchObject({ kind: 'activity' });
    expect((await house.sessions.status(token)).value.current).toBe('one');
  });

  it('has a status instead if nothing can be entered', async () => {
    const house = openHouse([
      activityWorkflow([{ id: 'one' }], { initialActivity: 'gone' }),
      steps([{ id: 'measure', runCondition: { var: 'ready', equals: true } }]),
    ]);
    const lost = await begin(house, 'graph');
    expect(lost.value.arrival).toMatchObject({ kind: 'status', status: { status: 'active' } });
    expect(await house.store.events(lost.value.sid)).toHaveLength(1);
    const idle = await begin(house, 'flow');
    expect(idle.value.arrival).toMatchObject({ kind: 'status', status: { status: 'active' } });
  });

  it('starts nothing when the start is refused', async () => {
    const house = openHouse([errands]);
    await expect(begin(house, 'nothing')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    await expect(begin(house, 'errands', 'human:root')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await house.store.find({})).sessions).toEqual([]);
  });

  it('reads a step of a step workflow too', async () => {
    const house = openHouse([steps(['measure', 'cut'])]);
    expect((await begin(house, 'flow')).value.arrival).toMatchObject({
      kind: 'activity',
      activity: { body: expect.stringContaining('id: measure') },
    });
  });
});

describe('a session that is resumed at its activity', () => {
  it('returns the activity with all operations, by its id too', async () => {
    const house = openHouse([errands, meta]);
    const { value, token } = await begin(house);
    for (const sessionToken of [token, value.sid]) {
      const back = await house.sessions.start({ agentId: 'baker', sessionToken, ...included });
      expect(back.value.arrival).toEqual(value.arrival);
      expect(back.value).toMatchObject({ inherited: true });
    }
    expect(await house.store.events(value.sid)).toHaveLength(2);
  });

  it('enters the first activity if that was not done', async () => {
    const house = openHouse([errands]);
    const { token } = await house.sessions.start({ agentId: 'baker', workflowId: 'errands' });
    const back = await house.sessions.start({ agentId: 'baker', sessionToken: token, ...included });
    expect(back.value.arrival).toMatchObject({ kind: 'activity' });
    const { value } = await house.sessions.status(back.token);
    expect(value.current).toBe('fetch');
  });

  it('says what can be done while a checkpoint waits, and at the end', async () => {
    const house = openHouse([errands]);
    const { value, token } = await begin(house);
    const yielded = await house.sessions.yield(token, 'bake-now');
    const again = async () =>
      (await house.sessions.start({ agentId: 'baker', sessionToken: value.sid, ...included })).value.arrival;
    expect(await again()).toMatchObject({
      status: { status: 'blocked', next: [{ kind: 'present' }, { kind: 'answer' }] },
    });
    house.nowMs += 5000;
    const answered = await house.sessions.answer(yielded.token, { mode: { kind: 'option', option: 'no' } });
    await house.sessions.move(answered.token, { manifest: fetched });
    expect(await again()).toMatchObject({ status: { status: 'completed', completed: ['fetch'] } });
  });
});

describe('a call that returns the next activity', () => {
  it('returns what reading it would, and the end as without it', async () => {
    const house = openHouse([errands, meta]);
    const { token } = await begin(house);
    const moved = await house.sessions.move(token, { manifest: fetched, variables: { hot: true } }, included);
    expect(moved.value).toMatchObject({ activity: 'bake', name: 'Name of bake' });
    expect(moved.traceToken).toBeDefined();
    const read = await house.sessions.activity(moved.token, { full: false });
    expect(moved.value).toMatchObject({ reading: { bundle: '', body: read.value.body } });
    expect((await tracedBy(house.sessions, moved.token)).slice(-3)).toEqual([
      { name: 'move', act: 'fetch', rev: 2 },
      { name: 'read-activity', act: 'bake', rev: 3 },
      { name: 'read-activity', act: 'bake', rev: 3 },
    ]);
    const manifest = [{ step_id: 'knead', output: 'Kneaded' }];
    const end = await house.sessions.move(moved.token, { manifest }, included);
    expect(end.value).toEqual({ status: 'completed', completed: ['fetch', 'bake'] });
  });

  it('answers a repeated call with the activity and its operations, wherever the session is by then', async () => {
    const house = openHouse([errands, meta]);
    const { token } = await begin(house);
    const request = { manifest: fetched, variables: { hot: true } };
    const first = await house.sessions.move(token, request);
    const repeated = await house.sessions.move(token, request, included);
    expect(repeated.value).toMatchObject({
      ...first.value,
      reading: { bundle: expect.stringContaining('Follows') },
    });
    await house.sessions.move(first.token, { manifest: [{ step_id: 'knead', output: 'Kneaded' }] });
    const late = await house.sessions.move(token, request, included);
    expect(late.value).toEqual(repeated.value);
    expect(late.token).toBe(repeated.token);
  });

  it('changes nothing and reads nothing when it is refused', async () => {
    const house = openHouse([errands], { policy: { enforcement: 'strict' } });
    const { token, value } = await begin(house);
    const before = await house.store.events(value.sid);
    await expect(house.sessions.move(token, { manifest: [] }, included)).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
    });
    expect(await house.store.events(value.sid)).toEqual(before);
    expect((await tracedBy(house.sessions, token)).map(({ name }) => name)).toEqual([
      'start',
      'read-activity',
      'move',
    ]);
  });

  it('returns the activity after an answer', async () => {
    const house = openHouse([errands, meta]);
    const { token } = await begin(house);
    const yielded = await house.sessions.yield(token, 'bake-now');
    const wait = { waitMs: 0 };
    await expect(house.sessions.resume(yielded.token, wait, included)).rejects.toMatchObject({
      code: 'CHECKPOINT_OPEN',
    });
    house.nowMs += 5000;
    const answered = await house.sessions.answer(yielded.token, { mode: { kind: 'option', option: 'yes' } });
    const resumed = await house.sessions.resume(answered.token, wait, included);
    const read = await house.sessions.activity(answered.token, { full: false });
    expect(resumed.value).toEqual({ reading: { bundle: '', body: read.value.body } });
    expect((await house.sessions.resume(answered.token)).value).toEqual({});
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
    const house = openHouse([concert, shared]);
    const { value, token } = await begin(house, 'concert');
    if (value.arrival?.kind !== 'activity') throw new Error('No activity came.');
    return { house, token, sid: value.sid, first: value.arrival.activity.bundle };
  }

  it('are those of an agent that works alone, each sent once', async () => {
    const { house, token, first } = await play();
    expect(found(first)).toEqual(['Rests', 'quiet']);
    const second = await house.sessions.move(token, {}, included);
    expect(found(bundleIn(second))).toEqual(['Sings']);
    const third = await house.sessions.move(second.token, {}, included);
    expect(bundleIn(third)).toBe('');
    const whole = await house.sessions.activity(third.token, { full: true });
    expect(found(whole.value.bundle)).toEqual(['Rests', 'Sings', 'quiet']);
  });

  it.each(['a second agent', 'a child'])('are those of a worker once there is %s', async (who) => {
    const { house, token, sid } = await play();
    const other = {
      agentId: 'other',
      ...(who === 'a child' ? { parentToken: token, workflowId: 'concert' } : { sessionToken: sid }),
    };
    await house.sessions.start(other);
    const second = await house.sessions.move(token, {}, included);
    expect(found(bundleIn(second))).toEqual(['Follows', 'Sings']);
  });

  it('come again when the agent resumes the session', async () => {
    const { house, sid } = await play();
    const back = await house.sessions.start({ agentId: 'baker', sessionToken: sid, ...included });
    expect(back.value.arrival).toMatchObject({ activity: { bundle: expect.stringContaining('Rests') } });
  });
});
