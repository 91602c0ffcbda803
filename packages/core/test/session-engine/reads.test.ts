import { describe, expect, it } from 'vitest';
import { activityWorkflow } from '../support/sessions.ts';
import { resource, skill, workflow as library } from '../support/bakery.ts';
import { workflow as steps } from '../support/step-workflows.ts';
import { atFetch, errands, fetchManifest, openTestServer } from '../support/test-server.ts';
import { driftMessages } from '../../src/messages/sessions.ts';

const meta = library('meta', {
  definition: { operationsFor: { orchestrator: ['crew::lead'], worker: ['crew::follow'] } },
  skills: [
    skill({ id: 'crew', operations: { lead: { description: 'Leads' }, follow: { description: 'Follows' } } }),
  ],
  resources: [resource('00', 'guide', { body: 'Begin with a look around.' })],
});

describe('the readings of a session', () => {
  it('send a bundle once to an agent, and again on request or after a new start', async () => {
    const { sessions } = openTestServer([errands, meta]);
    const token = await atFetch({ sessions });
    const read = async (full = false, by = token): Promise<string> =>
      (await sessions.activity(by, { full })).value.bundle;
    expect(await read()).toContain('Follows');
    expect(await read()).toMatch(/^bundle: unchanged sha256:[0-9a-f]{8} /);
    expect(await read(true)).toContain('Follows');
    const other = await sessions.start({ agentId: 'other', sessionToken: token });
    expect(await read(false, other.token)).toContain('Follows');
    const back = await sessions.start({ agentId: 'baker', sessionToken: token });
    expect(await read(false, back.token)).toContain('Follows');
  });

  it('tell an agent without an activity to enter one', async () => {
    const { sessions } = openTestServer();
    const { token } = await sessions.start({ agentId: 'baker', workflowId: 'errands' });
    const refused = { code: 'INVALID_STATE', data: { remedy: 'move' } };
    await expect(sessions.activity(token, { full: false })).rejects.toMatchObject(refused);
    await expect(sessions.skill(token, 'buy')).rejects.toMatchObject(refused);
  });

  it('use the definition that the session started with, and warn about the one that is now served', async () => {
    const server = openTestServer();
    const token = await atFetch(server);
    const warnings = async (of: string) => (await server.sessions.status(of)).warnings;
    expect(await warnings(token)).toEqual([]);
    const [first, second] = errands.activities;
    if (first === undefined || second === undefined) throw new Error('The workflow lost an activity.');
    const renamed = { ...second, definition: { ...second.definition, name: 'Grill' } };
    const changed = { ...errands, activities: [first, renamed], digest: 'sha256:changed' };
    server.workflows.set(changed);
    const moved = await server.sessions.move(token, { activityId: 'bake', manifest: fetchManifest });
    expect(moved.value).toMatchObject({ name: 'Name of bake' });
    expect(moved.warnings).toContainEqual(driftMessages.sameVersion('errands', '1.0.0'));
    server.workflows.set({ ...changed, definition: { ...errands.definition, version: '1.1.0' } });
    expect(await warnings(moved.token)).toEqual([driftMessages.otherVersion('errands', '1.1.0', '1.0.0')]);
    server.workflows.delete('errands');
    const status = await server.sessions.status(moved.token);
    expect(status.value.current).toBe('bake');
    expect(status.warnings).toContainEqual(driftMessages.notServed('errands', '1.0.0'));
  });

  it('show the reached steps of a step workflow, and no later ones', async () => {
    const { sessions } = openTestServer([
      steps([{ id: 'measure', requireConfirmation: true }, 'cut', { id: 'oil', prompt: 'Use linseed.' }]),
    ]);
    const { token } = await sessions.start({ agentId: 'joiner', workflowId: 'flow' });
    const before = await sessions.workflow(token, { summary: true, full: false });
    expect(before.value.body).toContain('initialActivity: measure\n');
    const entered = await sessions.move(token, {});
    const read = await sessions.activity(entered.token, { full: false });
    expect(read.value.body).toContain('Do measure.');
    expect(read.value.body).toContain('confirm');
    for (const summary of [true, false]) {
      const { body } = (await sessions.workflow(entered.token, { summary, full: false })).value;
      expect(body).toContain('Title of measure');
      expect(body).toContain('initialActivity: measure\n');
      expect(body).not.toMatch(/cut|linseed/);
    }
  });

  it('show the answer to the checkpoint of a step, which is then not required', async () => {
    const server = openTestServer();
    const token = await atFetch(server);
    const bodyOf = async (by: string): Promise<string> =>
      (await server.sessions.activity(by, { full: false })).value.body;
    expect(await bodyOf(token)).toContain('remaining[2]: buy,ask');
    const yielded = await server.sessions.yield(token, 'bake-now');
    server.nowMs += 5000;
    const answered = await server.sessions.answer(yielded.token, { mode: { kind: 'option', option: 'yes' } });
    const body = await bodyOf(answered.token);
    expect(body).toContain(
      'remaining[1]: buy\nanswered[1]{step,checkpoint,answer,label,answered_by,effect{setVariable{hot}}}:\n  ask,bake-now,yes,Yes,user,true\n',
    );
    const { next } = (await server.sessions.status(answered.token)).value;
    expect(next).toContainEqual({ kind: 'move', activity: 'bake', steps: ['buy', 'ask'] });
  });

  it('do not count a step as done because its checkpoint was dismissed', async () => {
    const checkpoint = {
      id: 'wet',
      name: 'Wet',
      message: 'Dry it?',
      condition: 'wet == true',
      options: [{ id: 'yes', label: 'Yes' }],
    };
    const server = openTestServer([
      activityWorkflow([
        { id: 'look', steps: [{ id: 'ask', checkpoint: 'wet' }], checkpoints: [checkpoint] },
      ]),
    ]);
    const { sessions } = server;
    const { token } = await sessions.start({ agentId: 'baker', workflowId: 'graph' });
    const entered = await sessions.move(token, {});
    const yielded = await sessions.yield(entered.token, 'wet');
    const dismissed = await sessions.answer(yielded.token, { mode: { kind: 'condition-not-met' } });
    const { body } = (await sessions.activity(dismissed.token, { full: false })).value;
    expect(body).toContain('remaining[1]: ask');
    expect(body).not.toMatch(/^answered/m);
  });

  it('show the answer for a step of a step workflow, and ask again after a step was sent back', async () => {
    const server = openTestServer([steps([{ id: 'measure', requireConfirmation: true }, 'cut'])]);
    const { sessions } = server;
    const { token } = await sessions.start({ agentId: 'joiner', workflowId: 'flow' });
    let current = (await sessions.move(token, {})).token;
    for (const [option, shown, hidden] of [
      ['revise', 'checkpoints', 'answered'],
      ['confirm', 'answered', 'checkpoints'],
    ] as const) {
      const yielded = await sessions.yield(current, 'confirm');
      server.nowMs += 5000;
      current = (await sessions.answer(yielded.token, { mode: { kind: 'option', option } })).token;
      const { body } = (await sessions.activity(current, { full: false })).value;
      expect(body).toMatch(new RegExp(`^${shown}\\[1\\]`, 'm'));
      expect(body).not.toMatch(new RegExp(`^${hidden}\\[`, 'm'));
    }
  });

  it('warn about broken files of the workflow', async () => {
    const issue = {
      pointer: '',
      line: 3,
      column: 1,
      severity: 'error',
      code: 'wrong-value',
      message: 'Not a list',
    } as const;
    const broken = { kind: 'skill', id: 'knots', file: 'skills/01-knots.yaml', issues: [issue] } as const;
    const { sessions } = openTestServer([{ ...errands, problems: [broken] }]);
    const token = await atFetch({ sessions });
    const { warnings } = await sessions.workflow(token, { summary: true, full: false });
    expect(warnings).toEqual([expect.stringContaining('skills/01-knots.yaml, line 3')]);
  });

  it('resolve references in the workflow of the session or, without a session, in the shared workflow', async () => {
    const own = activityWorkflow([{ id: 'fetch' }], { id: 'errands' });
    const { sessions } = openTestServer([
      { ...own, skills: [skill({ id: 'crew', rules: { calm: 'Breathe' } })] },
      meta,
    ]);
    const shared = await sessions.operations(['crew::calm']);
    expect(shared.map(({ type }) => type)).toEqual(['not-found']);
    const token = await atFetch({ sessions });
    expect(await sessions.operations(['crew::calm'], token)).toMatchObject([
      { type: 'rule', body: 'Breathe' },
    ]);
  });

  it('discover the guide, and list the workflows that can be started', async () => {
    const { sessions } = openTestServer([errands, meta]);
    expect(await sessions.discover()).toMatchObject({ guide: 'Begin with a look around.', openSessions: [] });
    expect((await sessions.list()).workflows.map(({ id }) => id)).toEqual(['errands']);
  });

  it('report the health without opening the database', async () => {
    const server = openTestServer([errands, meta]);
    expect(await server.sessions.health()).toEqual({
      workflows: 1,
      problems: 0,
      untrusted: 0,
      uptimeSeconds: 0,
    });
    await atFetch(server);
    server.nowMs += 2500;
    expect(await server.sessions.health()).toMatchObject({ uptimeSeconds: 2, store: { ok: true } });
  });
});

describe('the trace', () => {
  it('has every call, including refused ones', async () => {
    const server = openTestServer();
    const { sessions } = server;
    const token = await atFetch(server);
    await sessions.skill(token).catch(() => undefined);
    await sessions.move(token, { activityId: 'bake', manifest: fetchManifest });
    const { value } = await sessions.trace(token);
    expect(value.source).toBe('store');
    expect(value.events.map(({ name, s, act, rev }) => [name, s, act, rev])).toEqual([
      ['start', 'ok', '', 1],
      ['move', 'ok', '', 1],
      ['read-skill', 'error', 'fetch', 2],
      ['move', 'ok', 'fetch', 2],
    ]);
    expect(value.events[2]?.err).toContain('SKILL_NOT_FOUND');
    expect(value.events[3]?.vw?.join(' ')).toContain("'bake'");
    expect(new Set(value.events.map(({ spanId }) => spanId)).size).toBe(4);
  });

  it('returns the calls of a segment for its trace token', async () => {
    const { sessions } = openTestServer();
    const token = await atFetch({ sessions });
    await sessions.status(token);
    const { token: next, traceToken = '' } = await sessions.move(token, {
      activityId: 'bake',
      manifest: fetchManifest,
    });
    await sessions.status(next);
    const { value } = await sessions.trace(next, [traceToken]);
    expect(value).toMatchObject({ source: 'tokens', eventCount: 2 });
    expect(value.events.map(({ name }) => name)).toEqual(['status', 'move']);
  });

  it('returns nothing for the token of another session or a modified token', async () => {
    const { sessions } = openTestServer();
    const one = await sessions.move(await atFetch({ sessions }), { activityId: 'bake' });
    const other = await atFetch({ sessions });
    const foreign = one.traceToken ?? '';
    const { value } = await sessions.trace(other, [foreign, `${foreign.slice(0, -2)}AA`]);
    expect(value).toMatchObject({ source: 'tokens', eventCount: 0, events: [] });
    expect(value.tokenErrors).toHaveLength(2);
  });
});
