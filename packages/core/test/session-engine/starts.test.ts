import { describe, expect, it } from 'vitest';
import { createSelfContainedCodec } from '../../src/session-engine/session-tokens.ts';
import { workflowMessages } from '../../src/messages/lookup.ts';
import { messages } from '../../src/messages/sessions.ts';
import { activityWorkflow } from '../support/sessions.ts';
import { keyRing } from '../support/tokens.ts';
import { atFetch, errands, fetchManifest, openTestServer } from '../support/test-server.ts';

const child = activityWorkflow([{ id: 'mill' }], {
  id: 'errands-child',
  variables: [
    { name: 'flour', type: 'string' },
    { name: 'absent', type: 'string' },
  ],
});

describe('a start', () => {
  it('creates a session of the shared workflow if it names no workflow', async () => {
    const { sessions } = openTestServer([activityWorkflow([{ id: 'welcome' }], { id: 'meta' })]);
    const { value } = await sessions.start({ agentId: 'baker' });
    expect(value).toMatchObject({ workflow: { id: 'meta', version: '1.0.0', title: 'Graph' } });
    expect(value).not.toHaveProperty('inherited');
  });

  it.each(['human:root', 'Human:root', ' human:root', 'hu\u200Bman:root', 'human\uFF1Aroot', 'human :root'])(
    'refuses an agent that is named like a person: %s',
    async (agentId) => {
      const server = openTestServer();
      const token = await atFetch(server);
      for (const more of [{ workflowId: 'errands' }, { sessionToken: token }])
        await expect(server.sessions.start({ agentId, ...more })).rejects.toMatchObject({
          code: 'INVALID_INPUT',
          data: { reason: 'reserved-name' },
        });
      expect((await server.store.find({})).sessions).toHaveLength(1);
    },
  );

  it.each([
    'hum\u0430n:root',
    'hum\u03B1n:root',
    'human\u2236root',
    'hurnan:root',
    'HURNAN:root',
    'HUMAN\uA789root',
    'human\u02D0root',
    // Small capitals, Lisu letters, syllables, and characters that look like a colon but do not map to one.
    '\u029Cuman:root',
    '\u029C\u1D1C\u1D0D\u1D00\u0274:root',
    '\uA4E7\uA4F4\uA4DF\uA4EE\uA4E0:root',
    '\u157CUMAN:root',
    'human\uA4FDroot',
    'human\uFE30root',
    'human\u2D42root',
    '\u04BBuman\u2D42root',
    'human root',
    'human\u2009root',
    ...[
      '\u1361',
      '\u2982',
      '\u1365',
      '\u205D',
      '\u0702',
      '\u1804',
      '\u0903',
      '\u0A83',
      '\u22EE',
      '.',
      ';',
    ].map((sign) => `human${sign}root`),
  ])('refuses an agent whose name looks like the name of a person: %s', async (agentId) => {
    const { sessions } = openTestServer();
    await expect(sessions.start({ agentId, workflowId: 'errands' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      data: { field: 'agent_id', reason: 'reserved-name' },
    });
  });

  it.each([
    ['\u202Etoor:namuh', 'U+202E'],
    ['agent\u200B', 'U+200B'],
    ['agent\u001B[2Khuman:root', 'U+001B'],
    ['agent\nhuman:root', 'U+000A'],
    ['agent\thuman:root', 'U+0009'],
    ['agent\u2028human:root', 'U+2028'],
    ['\u2067agent', 'U+2067'],
  ])('refuses an agent with a hidden character in its name: %j', async (agentId, character) => {
    const server = openTestServer();
    const token = await atFetch(server);
    for (const more of [{ workflowId: 'errands' }, { sessionToken: token }])
      await expect(server.sessions.start({ agentId, ...more })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        data: { field: 'agent_id', reason: 'hidden-character', character },
      });
  });

  it('accepts an agent whose name only contains the word, or has another script behind a colon or without one', async () => {
    const { sessions } = openTestServer();
    for (const agentId of [
      'human-resources',
      'a human: 1',
      'superhuman:1',
      '\u0430\u0433\u0435\u043D\u0442-1',
      'agent:\u0430\u0433\u0435\u043D\u0442',
      'agent \u03B1',
      '\u4EE3\u7406 agent 1',
      'nai\u0308ve \u{1F469}\u200D\u{1F4BB}',
    ])
      expect((await sessions.start({ agentId, workflowId: 'errands' })).warnings).toEqual([]);
  });

  it('names an unknown workflow and suggests a similar one', async () => {
    const { sessions } = openTestServer();
    const failed = sessions.start({ agentId: 'baker', workflowId: 'errand' });
    await expect(failed).rejects.toMatchObject({
      code: 'WORKFLOW_NOT_FOUND',
      message: workflowMessages.notFound('errand', 'errands'),
    });
  });

  describe('a workflow with an activity that is broken', () => {
    const issue = {
      pointer: '/bogus',
      line: 3,
      column: 1,
      severity: 'error',
      code: 'unknown-property',
      message: "Unknown property 'bogus'",
    } as const;
    const torn = { kind: 'activity', id: 'ask', file: 'activities/02-ask.yaml', issues: [issue] } as const;
    const broken = { ...errands, digest: 'sha256:broken', problems: [torn] };
    const refused = {
      code: 'INVALID_WORKFLOW',
      data: { workflowId: 'errands', activity_id: 'ask', file: torn.file, issues: [issue] },
    };

    it('is not started, not even as a child session', async () => {
      const server = openTestServer([broken, child]);
      const parent = await server.sessions.start({ agentId: 'baker', workflowId: child.id });
      for (const more of [{}, { parentToken: parent.token }]) {
        const failed = server.sessions.start({ agentId: 'baker', workflowId: 'errands', ...more });
        await expect(failed).rejects.toMatchObject(refused);
      }
      expect((await server.store.find({})).sessions).toHaveLength(1);
    });

    it('continues earlier sessions', async () => {
      const server = openTestServer();
      const token = await atFetch(server);
      server.workflows.set(broken);
      expect(await server.sessions.start({ agentId: 'baker', sessionToken: token })).toMatchObject({
        value: { inherited: true },
      });
    });
  });

  it('resumes a session at its activity, for the same agent and for another, without a warning', async () => {
    const server = openTestServer();
    const token = await atFetch(server);
    for (const agentId of ['baker', 'apprentice']) {
      const taken = await server.sessions.start({ agentId, sessionToken: token });
      expect(taken).toMatchObject({ value: { inherited: true }, warnings: [] });
      expect((await server.sessions.status(taken.token)).value.current).toBe('fetch');
    }
    const sid = (await server.store.find({})).sessions[0]?.sid ?? '';
    expect(await server.store.agents(sid)).toEqual(['baker', 'apprentice']);
  });

  it('returns the current token for an old one', async () => {
    const server = openTestServer();
    const old = await atFetch(server);
    await server.sessions.move(old, { activityId: 'bake', manifest: fetchManifest });
    const { token } = await server.sessions.start({ agentId: 'baker', sessionToken: old });
    expect(await server.sessions.move(token, {})).toMatchObject({ value: { status: 'completed' } });
  });

  it('adopts the session of a token whose key was removed, with the state in the store', async () => {
    const server = openTestServer(undefined, { codec: createSelfContainedCodec });
    const token = await atFetch(server);
    const rekeyed = server.sessionsFor({ keys: keyRing(2), codec: createSelfContainedCodec });
    await expect(rekeyed.status(token)).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
      data: { remedy: 'start' },
    });
    const adopted = await rekeyed.start({ agentId: 'baker', sessionToken: token });
    expect(adopted.value).toMatchObject({ inherited: true, adopted: true });
    expect(adopted.value.warning).toBeDefined();
    expect((await rekeyed.status(adopted.token)).value.current).toBe('fetch');
  });

  it('names no source for a session that was sealed with an unknown key', async () => {
    const server = openTestServer();
    const sessionToken = await atFetch(server);
    const load = server.store.load.bind(server.store);
    server.store.load = async (sid) => {
      const loaded = await load(sid);
      if (loaded?.snapshot === undefined) return loaded;
      const { session, snapshot } = loaded;
      const state = { ...snapshot.state, source: 'Forged' };
      return {
        ...loaded,
        session: { ...session, unauthentic: 'unknown-key' },
        snapshot: { ...snapshot, state },
      };
    };
    const { value, warnings } = await server.sessions.start({ agentId: 'baker', sessionToken });
    expect(value.workflow).toMatchObject({ id: 'errands' });
    expect(value.workflow).not.toHaveProperty('source');
    expect(warnings).toHaveLength(1);
  });

  it('attaches to a session by its id', async () => {
    const server = openTestServer();
    const token = await atFetch(server);
    const { openSessions } = await server.sessions.discover();
    expect(openSessions).toMatchObject([{ workflowId: 'errands', current: 'fetch' }]);
    const sessionToken = openSessions[0]?.sid ?? '';
    const taken = await server.sessions.start({ agentId: 'other', sessionToken });
    expect(taken.value).toMatchObject({ inherited: true, adopted: true, sid: sessionToken });
    expect(taken.token).not.toBe(token);
  });

  it('creates a session with a warning if the token matches no session', async () => {
    const { sessions } = openTestServer();
    for (const sessionToken of ['garbage', '0123456789abcdef0123', `wl_${'A'.repeat(44)}`]) {
      const { value } = await sessions.start({ agentId: 'baker', workflowId: 'errands', sessionToken });
      expect(value).toMatchObject({ recovered: true, warning: expect.any(String) });
      expect(value).not.toHaveProperty('inherited');
    }
  });

  it('reports the session of another principal as not found', async () => {
    const server = openTestServer();
    const token = await atFetch(server);
    const stranger = server.sessionsFor({ principal: 'stranger' });
    await expect(stranger.status(token)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(stranger.start({ agentId: 'x', sessionToken: token })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect((await stranger.discover()).openSessions).toEqual([]);
  });
});

describe('a child session', () => {
  it('is linked with its parent, and gets the variables that the trigger passes on', async () => {
    const { sessions } = openTestServer([errands, child]);
    const parentToken = await atFetch({ sessions });
    const started = await sessions.start({ agentId: 'miller', workflowId: 'errands-child', parentToken });
    const status = await sessions.status(started.token);
    expect(status.value).toMatchObject({
      parent: { workflowId: 'errands', activity: 'fetch', version: '1.0.0' },
      variables: { flour: 'rye' },
    });
    expect(status.value.variables).not.toHaveProperty('secret');
    const { children } = (await sessions.status(parentToken)).value;
    expect(children).toEqual([{ sid: started.value.sid, workflowId: 'errands-child', status: 'active' }]);
  });

  it('counts the credentials that worked on its parent as those of an agent', async () => {
    const asking = activityWorkflow(
      [
        {
          id: 'ask',
          checkpoints: [
            {
              id: 'ok',
              name: 'OK',
              message: 'Go?',
              approver: 'human',
              options: [{ id: 'yes', label: 'Yes' }],
            },
          ],
          triggers: [{ workflow: 'asking' }],
        },
      ],
      { id: 'asking' },
    );
    const server = openTestServer([asking]);
    const caller = (credential: string) => server.sessionsFor({ credential, mayRespond: true });
    const parent = await caller('k1').start({ agentId: 'a', workflowId: 'asking' });
    const { token: parentToken } = await caller('k2').move(parent.token, {});
    const made = await caller('k3').start({ agentId: 'b', workflowId: 'asking', parentToken });
    const below = await caller('k3').start({ agentId: 'c', workflowId: 'asking', parentToken: made.token });
    for (const started of [made, below]) {
      const { token } = await caller('k4').move(started.token, {});
      const asked = await caller('k4').yield(token, 'ok');
      server.nowMs += 3000;
      const mode = { kind: 'option', option: 'yes' } as const;
      for (const credential of ['k1', 'k2', 'k3', 'k4'])
        await expect(caller(credential).answer(asked.token, { mode })).rejects.toMatchObject({
          code: 'HUMAN_REQUIRED',
          data: { reason: 'same-credential' },
        });
      await caller('k5').answer(asked.token, { mode });
    }
  });

  it('is not started below a completed session', async () => {
    const server = openTestServer([errands, child]);
    const { sessions, store } = server;
    const abandoned = await atFetch(server);
    const [row] = (await store.find({})).sessions;
    await server.person('ana').abandon(row?.sid ?? '');
    const begun = await atFetch(server);
    const { token: completed } = await sessions.move(begun, { activityId: 'end', manifest: fetchManifest });
    expect((await sessions.status(completed)).value.status).toBe('completed');
    for (const parentToken of [abandoned, completed])
      await expect(
        sessions.start({ agentId: 'miller', workflowId: 'errands-child', parentToken }),
      ).rejects.toMatchObject({ code: 'SESSION_COMPLETED', data: { sid: expect.any(String) } });
    expect((await store.find({ workflowId: 'errands-child' })).sessions).toEqual([]);
  });

  it('has copies of variables, and changes nothing in its parent', async () => {
    const merge = activityWorkflow(
      [
        {
          id: 'approve',
          checkpoints: [
            {
              id: 'merge',
              name: 'Merge',
              message: 'Merge {head}?',
              approver: 'human',
              options: [{ id: 'yes', label: 'Yes', effect: { setVariable: { approved: true } } }],
            },
          ],
          triggers: [{ workflow: 'build', passContext: ['approved', 'head'] }],
        },
      ],
      { id: 'merge' },
    );
    const redo = { id: 'redo', label: 'Redo', effect: { setVariable: { approved: false } } };
    const build = activityWorkflow(
      [{ id: 'make', checkpoints: [{ id: 'ask', name: 'Ask', message: 'Redo?', options: [redo] }] }],
      { id: 'build' },
    );
    const server = openTestServer([merge, build]);
    const { sessions } = server;
    const parent = await sessions.start({ agentId: 'a', workflowId: 'merge' });
    const asked = await sessions.move(parent.token, { variables: { head: 'a' } });
    await sessions.yield(asked.token, 'merge');
    await server.person('ana').respond(parent.value.sid, { mode: { kind: 'option', option: 'yes' } });
    const { token: parentToken } = await sessions.status(asked.token);
    const before = await server.store.load(parent.value.sid);

    const started = await sessions.start({ agentId: 'b', workflowId: 'build', parentToken });
    const protectedToo = sessions.move(started.token, { variables: { approved: false } });
    await expect(protectedToo).rejects.toMatchObject({ code: 'VARIABLE_PROTECTED' });
    const made = await sessions.move(started.token, { variables: { head: 'b' } });
    const yielded = await sessions.yield(made.token, 'ask');
    server.nowMs += 3000;
    const mode = { kind: 'option', option: 'redo' } as const;
    await expect(sessions.answer(yielded.token, { mode })).rejects.toMatchObject({
      code: 'VARIABLE_PROTECTED',
      data: { session_id: parent.value.sid },
    });
    await server.person('ana').respond(started.value.sid, { mode });
    const redone = await sessions.status(yielded.token);
    expect((await sessions.status(redone.token)).value.variables).toEqual({ approved: false, head: 'b' });
    await sessions.move(redone.token, { activityId: 'end' });

    expect(await server.store.load(parent.value.sid)).toEqual(before);
    const { variables, children } = (await sessions.status(parentToken)).value;
    expect(variables).toEqual({ approved: true, head: 'a' });
    expect(children).toMatchObject([{ status: 'completed' }]);
  });

  it('is not started if the parent token is not valid', async () => {
    const { sessions, store } = openTestServer([errands, child]);
    const failed = sessions.start({ agentId: 'x', workflowId: 'errands-child', parentToken: 'nothing' });
    await expect(failed).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
      message: messages.parentRefused(messages.tokenInvalid()),
    });
    expect((await store.find({})).sessions).toEqual([]);
  });
});
