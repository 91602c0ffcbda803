import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type {
  AnsweredReply,
  EventsPage,
  InsightsReply,
  CheckpointAnswered,
  CheckpointsReply,
  PastOutputs,
  SessionDetail,
  WaitingCheckpoint,
  SessionsReply,
} from '@workflowlookup/console/contract';
import { expect, test } from 'vitest';
import { bearer, openService } from '../support/service.ts';
import { startAgent } from '../support/agent.ts';
import type { Browser } from '../support/browser.ts';
import { openKeyBrowser, openLocalBrowser, sidsIn } from '../support/browser.ts';

test('Sessions are listed with their state, the most recent first, and can be filtered', async () => {
  const service = openService();
  const first = await startAgent(service, { name: 'ann' });
  const second = await startAgent(service, { name: 'bob' });
  await first.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const { sessions, counts } = await browser.read<SessionsReply>('/sessions');
  expect(sessions.map(({ sid }) => sid)).toEqual([first.sid, second.sid]);
  expect(sessions[0]).toMatchObject({
    title: 'Review',
    agent: 'ann',
    status: 'blocked',
    current: 'report',
    currentName: 'Report',
    checkpoint: 'confirm',
    checkpointName: 'Confirm: Report',
    progress: { done: 1, of: 2 },
  });
  expect(Object.keys(sessions[0] ?? {})).not.toContain('hash');
  expect(counts).toEqual({ active: 1, blocked: 1, parked: 0, completed: 0 });
  expect(await sidsIn(browser, '?status=active,completed')).toEqual([second.sid]);
  expect(await sidsIn(browser, '?agent=ann&workflow=review-flow')).toEqual([first.sid]);
  expect(await sidsIn(browser, '?text=REVIEW&before=2001-01-01T00:00:00Z')).toEqual([]);
});

test('The figures include the names of the served workflows', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const insights = await browser.read<InsightsReply>('/insights?workflow=review-flow');
  expect(insights.names).toMatchObject({
    'review-flow': { name: 'Review', activities: { report: 'Report' }, steps: {} },
  });
  const csv = await (await browser.get('/insights/csv')).text();
  expect(csv).toMatch(/^activity,review-flow,report,.*,Review,Report\r$/m);
});

test('Sessions are listed in pages', async () => {
  const service = openService();
  const sids: string[] = [];
  for (const name of ['a', 'b', 'c']) sids.unshift((await startAgent(service, { name })).sid);
  const browser = await openLocalBrowser(service);
  const { sessions, next = '' } = await browser.read<SessionsReply>('/sessions?limit=2');
  expect(sessions.map(({ sid }) => sid)).toEqual(sids.slice(0, 2));
  expect(await sidsIn(browser, `?limit=2&cursor=${encodeURIComponent(next)}`)).toEqual(sids.slice(2));
});

test.each([
  '?status=odd',
  '?limit=0',
  '?limit=1000',
  '?since=yesterday',
  '?cursor=x',
  '?nonsense=1',
  '?text=',
])('An invalid query for sessions is refused: %s', async (query) => {
  const browser = await openLocalBrowser(openService());
  const response = await browser.get(`/sessions${query}`);
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'INVALID_INPUT' }]);
});

test('A session shows its history, diagram, variables, outputs and waiting checkpoint', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const session = await browser.read<SessionDetail>(`/sessions/${agent.sid}`);
  expect(session.history.chain).toEqual({ ok: true, events: 4 });
  expect(session.outputs).toMatchObject([
    { activity: 'read-it', step: 'read-it', output: 'I read <b>all</b> of it.', revision: 3 },
  ]);
  const { question, names } = await browser.read<WaitingCheckpoint>(`/checkpoints/${agent.sid}`);
  expect(question).toMatchObject({ activity: 'report', revision: 4, answeredBy: 'user' });
  expect(names).toMatchObject({ report: expect.any(String) });
  expect(session.graph.nodes.find(({ ref }) => ref === 'read-it')).toMatchObject({ state: 'done' });
  expect(session.outline.steps?.map(({ id }) => id)).toEqual(['read-it', 'report']);
});

test('The events of a session are returned in ranges', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const first = await browser.read<EventsPage>(`/sessions/${agent.sid}/events?limit=3`);
  expect(first.events.map(({ revision }) => revision)).toEqual([1, 2, 3]);
  const rest = await browser.read<EventsPage>(`/sessions/${agent.sid}/events?after=${first.next}`);
  expect(rest.events.map(({ event }) => event.type)).toEqual(['checkpoint-yielded']);
  expect(rest.next).toBeUndefined();
});

test('The export of a session is a download named after it, in lines of JSON', async () => {
  const service = openService();
  const { sid } = await startAgent(service);
  const browser = await openLocalBrowser(service);
  const response = await browser.get(`/sessions/${sid}/export`);
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${sid}.jsonl"`);
  const lines = (await response.text()).trimEnd().split('\n');
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  expect(lines.join()).toContain('session-started');
});

test('A waiting checkpoint is in the inbox with the information for a decision, and the agent continues after the answer', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const { checkpoints, waiting } = await browser.read<CheckpointsReply>('/checkpoints');
  expect(waiting).toBe(1);
  expect(checkpoints).toMatchObject([
    { session: { title: 'Review' }, sid: agent.sid, id: 'confirm', revision: 4 },
  ]);
  expect(await browser.read<WaitingCheckpoint>(`/checkpoints/${agent.sid}`)).toMatchObject({
    session: { sid: agent.sid },
    question: {
      checkpoint: { id: 'confirm', options: [{ id: 'confirm' }, { id: 'revise' }] },
      outcomes: [{ option: 'confirm' }, { option: 'revise' }],
      revision: 4,
    },
    earlier: [],
    evidence: { outputs: [{ step: 'read-it' }] },
    lastCallAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const resumed = agent.call('resume_checkpoint', { wait_ms: 30_000 });
  const mode = { kind: 'option', option: 'confirm' };
  const answer = { mode, note: '<script>alert(1)</script>', revision: 4 };
  expect(
    await browser.write<CheckpointAnswered>('POST', `/sessions/${agent.sid}/answer`, answer),
  ).toMatchObject({
    checkpoint: 'confirm',
    answer: { kind: 'option', option: 'confirm' },
    revision: 5,
  });
  expect((await resumed).result).toMatchObject({ status: 'resumed' });
  expect(await browser.read('/checkpoints')).toEqual({ checkpoints: [], waiting: 0 });
  expect(await browser.read<AnsweredReply>('/checkpoints/answered')).toMatchObject({
    answers: [
      {
        sid: agent.sid,
        revision: 5,
        option: 'confirm',
        note: '<script>alert(1)</script>',
        origin: { channel: 'console', assurance: 'account' },
        // The agent has received the answer, because it was waiting for it.
        receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ],
    hasMore: false,
  });
  const { history } = await browser.read<SessionDetail>(`/sessions/${agent.sid}`);
  expect(history.checkpoints).toMatchObject([
    { answered: { by: 'human', note: '<script>alert(1)</script>' } },
  ]);
});

test('A checkpoint shows how often an output was refused before it was accepted', async () => {
  const service = openService();
  const file = join(service.definitions, 'review-flow.json');
  const flow = JSON.parse(readFileSync(file, 'utf8')) as { steps: object[] };
  const criteria = [{ type: 'length', min: 20, message: 'Say more.' }];
  const [first, ...rest] = flow.steps;
  const steps = [{ ...first, validationCriteria: criteria }, ...rest];
  writeFileSync(file, JSON.stringify({ ...flow, enforcement: 'strict', steps }));
  const agent = await startAgent(service);
  await agent.call('next_activity', { activity_id: 'read-it' });
  for (const output of ['Short.', 'Shorter.']) {
    const { error } = await agent.call('next_activity', { step_manifest: [{ step_id: 'read-it', output }] });
    expect(error).toBeDefined();
  }
  const step_manifest = [{ step_id: 'read-it', output: 'I read all of it, and more.' }];
  await agent.call('next_activity', { step_manifest });
  await agent.call('yield_checkpoint', { checkpoint_id: 'confirm' });
  const browser = await openLocalBrowser(service);
  const { evidence } = await browser.read<WaitingCheckpoint>(`/checkpoints/${agent.sid}`);
  expect(evidence.outputs).toMatchObject([{ step: 'read-it', refusedBefore: 2 }]);
});

test('The answers of people can be searched, and filtered to those of the user', async () => {
  const service = openService('--auth', 'keys');
  const write = await service.key({ principal: 'team-a', scopes: ['read', 'write'] });
  const scopes = ['read', 'checkpoints:respond'] as const;
  const open = async () => openKeyBrowser(service, await service.key({ principal: 'team-a', scopes }));
  const [ana, bob] = [await open(), await open()];
  for (const [browser, option, note] of [
    [ana, 'confirm', 'The first one is fine.'],
    [bob, 'revise', 'Look at the second one again.'],
  ] as const) {
    const agent = await startAgent(service, { headers: bearer(write) });
    await agent.stopAtCheckpoint();
    const answer = { mode: { kind: 'option', option }, note, revision: 4 };
    await browser.write('POST', `/sessions/${agent.sid}/answer`, answer);
  }
  const optionsOf = async (browser: Browser, query: string): Promise<readonly string[]> => {
    const { answers } = await browser.read<AnsweredReply>(`/checkpoints/answered${query}`);
    return answers.map(({ option }) => option);
  };
  expect(await optionsOf(ana, '')).toEqual(['revise', 'confirm']);
  expect(await optionsOf(ana, '?by=me')).toEqual(['confirm']);
  expect(await optionsOf(bob, '?by=me')).toEqual(['revise']);
  expect(await optionsOf(bob, '?search=SECOND+again')).toEqual(['revise']);
  // The search also finds the name of an option, and combines with the filter by person.
  expect(await optionsOf(bob, '?search=revise')).toEqual(['revise']);
  expect(await optionsOf(bob, '?search=fine&by=me')).toEqual([]);
  expect((await bob.get('/checkpoints/answered?by=ana')).status).toBe(400);
});

test('An answer in the list shows when the agent received it, or that it has not yet', async () => {
  const service = openService();
  const browser = await openLocalBrowser(service);
  const agent = await startAgent(service);
  await agent.stopAtCheckpoint();
  const answer = { mode: { kind: 'option', option: 'confirm' }, revision: 4 };
  await browser.write('POST', `/sessions/${agent.sid}/answer`, answer);
  const receipt = async (): Promise<string | undefined> =>
    (await browser.read<AnsweredReply>('/checkpoints/answered')).answers[0]?.receivedAt;
  expect(await receipt()).toBeUndefined();
  await agent.call('get_workflow_status');
  const { history } = await browser.read<SessionDetail>(`/sessions/${agent.sid}`);
  expect(await receipt()).toBe(history.checkpoints[0]?.answered?.receivedAt);
  expect(await receipt()).toBeDefined();
});

test('Only one of two answers is accepted, and the other person learns who was first', async () => {
  const service = openService('--auth', 'keys');
  const write = await service.key({ principal: 'team-a', scopes: ['read', 'write'] });
  const agent = await startAgent(service, { headers: bearer(write) });
  await agent.stopAtCheckpoint();
  const scopes = ['read', 'checkpoints:respond'] as const;
  const open = async () => openKeyBrowser(service, await service.key({ principal: 'team-a', scopes }));
  const browsers = [await open(), await open()];
  const responses = await Promise.all(
    browsers.map((browser, at) =>
      browser.send('POST', `/sessions/${agent.sid}/answer`, {
        mode: { kind: 'option', option: at === 0 ? 'confirm' : 'revise' },
        revision: 4,
      }),
    ),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 409]));
  const lost = await responses.find(({ status }) => status === 409)?.json();
  expect(lost).toMatchObject({
    code: 'SESSION_CONFLICT',
    message: expect.stringMatching(/answered with '\w+' by team-a \(key [0-9a-f]{12}\)/),
  });
  const { history } = await (await open()).read<SessionDetail>(`/sessions/${agent.sid}`);
  expect(history.checkpoints).toHaveLength(1);
});

test('An invalid answer is refused and changes nothing', async () => {
  const service = openService();
  const agent = await startAgent(service);
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const option = { kind: 'option', option: 'confirm' };
  for (const body of [
    undefined,
    {},
    { mode: { kind: 'odd' }, revision: 4 },
    { mode: option, revision: '4' },
    { mode: option, revision: 4, by: 'agent' },
    { mode: option, revision: 4, note: 'x'.repeat(2_001) },
  ])
    expect((await browser.send('POST', `/sessions/${agent.sid}/answer`, body)).status).toBe(400);
  expect(await browser.read<CheckpointsReply>('/checkpoints')).toMatchObject({ waiting: 1 });
});

test('The sessions of other users are not listed, counted or shown, and cannot be answered', async () => {
  const service = openService('--auth', 'keys');
  const own = await service.key({ principal: 'ann', scopes: ['read', 'write'] });
  const agent = await startAgent(service, { headers: bearer(own) });
  await agent.stopAtCheckpoint();
  const key = await service.key({ principal: 'bob', scopes: ['read', 'write', 'checkpoints:respond'] });
  const browser = await openKeyBrowser(service, key);
  expect(await browser.read('/sessions')).toEqual({
    sessions: [],
    counts: { active: 0, blocked: 0, parked: 0, completed: 0 },
  });
  expect(await browser.read('/checkpoints')).toEqual({ checkpoints: [], waiting: 0 });
  for (const path of ['', '/events', '/export'])
    expect((await browser.get(`/sessions/${agent.sid}${path}`)).status).toBe(404);
  const answer = { mode: { kind: 'option', option: 'confirm' }, revision: 4 };
  expect((await browser.send('POST', `/sessions/${agent.sid}/answer`, answer)).status).toBe(404);
  expect(await browser.read(`/health`)).toMatchObject({ sessions: { blocked: 0 } });
});

test('Hostile text is always returned as JSON that no browser renders as a page', async () => {
  const service = openService();
  const hostile = '"><img src=x onerror=alert(1)></script>';
  const agent = await startAgent(service, { name: hostile });
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  for (const path of [
    '/sessions',
    `/sessions/${agent.sid}`,
    '/checkpoints',
    `/sessions/${agent.sid}/events`,
  ]) {
    const response = await browser.get(path);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(response.headers.get('cache-control')).toBe('no-store');
  }
  const { sessions } = await browser.read<SessionsReply>(`/sessions?agent=${encodeURIComponent(hostile)}`);
  expect(sessions[0]?.agent).toBe(hostile);
});

test('The outputs for trying criteria include the refused ones, newest first and marked', async () => {
  const service = openService();
  const file = join(service.definitions, 'review-flow.json');
  const flow = JSON.parse(readFileSync(file, 'utf8')) as { steps: { validationCriteria?: object }[] };
  const [readIt, ...others] = flow.steps;
  const validationCriteria = { type: 'length', min: 10, message: 'Say more.' };
  writeFileSync(
    file,
    JSON.stringify({ ...flow, enforcement: 'strict', steps: [{ ...readIt, validationCriteria }, ...others] }),
  );
  const agent = await startAgent(service);
  await agent.call('next_activity', { activity_id: 'read-it' });
  const step_manifest = [{ step_id: 'read-it', output: 'Short.' }];
  await agent.call('next_activity', { activity_id: 'report', step_manifest });
  await agent.stopAtCheckpoint();
  const browser = await openLocalBrowser(service);
  const { outputs } = await browser.read<PastOutputs>('/outputs?workflow=review-flow');
  const of = { sid: agent.sid, activity: 'read-it', step: 'read-it' };
  expect(outputs).toEqual([
    { ...of, title: expect.any(String), output: 'I read <b>all</b> of it.' },
    { ...of, title: expect.any(String), output: 'Short.', isRefused: true },
  ]);
});

test('Sessions can be sorted by their start and by their duration, in pages', async () => {
  const service = openService();
  const browser = await openLocalBrowser(service);
  const first = await startAgent(service, { name: 'ann' });
  await setTimeout(5);
  const second = await startAgent(service, { name: 'bob' });
  await setTimeout(5);
  const third = await startAgent(service, { name: 'cat' });
  await first.stopAtCheckpoint();
  const [a, b, c] = [first.sid, second.sid, third.sid];
  expect(await sidsIn(browser, '?sort=started-last')).toEqual([c, b, a]);
  expect(await sidsIn(browser, '?sort=started-first')).toEqual([a, b, c]);
  expect(await sidsIn(browser, '?sort=longest')).toEqual([a, b, c]);
  expect(await sidsIn(browser, '?sort=shortest&status=active')).toEqual([c, b]);
  const page = await browser.read<SessionsReply>('/sessions?sort=shortest&limit=2');
  expect(page.sessions.map(({ sid }) => sid)).toEqual([c, b]);
  expect(await sidsIn(browser, `?sort=shortest&limit=2&cursor=${page.next}`)).toEqual([a]);
  for (const query of ['?sort=agent', '?sort=longest&cursor=x', '?sort=longest&cursor=-1'])
    expect((await browser.get(`/sessions${query}`)).status, query).toBe(400);
});
