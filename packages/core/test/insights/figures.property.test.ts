import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';
import type { EvidenceCollector, EvidenceOutcome } from '../../src/evidence/collector.ts';
import type { Insights } from '../../src/insights/insights.ts';
import type { ReadText } from '../../src/session-engine/trace.ts';
import type { Reply } from '../../src/session-engine/sessions.ts';
import type { TestServer } from '../support/test-server.ts';
import { openTestServer } from '../support/test-server.ts';
import { activityWorkflow } from '../support/sessions.ts';
import { countSlowly, sessionsOfTags } from './slow-count.ts';

const criteria = [
  { type: 'length' as const, min: 5, message: 'Write more.' },
  // An output of fewer than three characters fails both criteria.
  { type: 'length' as const, min: 3, message: 'Write a word.' },
];

function errandWorkflow(id: string, enforcement: 'strict' | 'advisory'): ReturnType<typeof activityWorkflow> {
  return activityWorkflow(
    [
      {
        id: 'plan',
        steps: [
          { id: 'think', validationCriteria: criteria },
          { id: 'ask', checkpoint: 'go' },
        ],
        checkpoints: [
          {
            id: 'go',
            name: 'Go?',
            message: 'Go on?',
            options: [
              { id: 'yes', label: 'Yes', effect: { setVariable: { answer: 'yes' } } },
              { id: 'no', label: 'No', effect: { setVariable: { answer: 'no' }, transitionTo: 'end' } },
            ],
          },
        ],
        transitions: [
          { to: 'work', condition: 'answer == "yes"' },
          { to: 'end', isDefault: true },
        ],
      },
      {
        id: 'work',
        steps: [
          {
            id: 'build',
            validationCriteria: criteria,
            ...(id === 'second' && { evidence: [{ id: 'tests', check: 'test' }] }),
          },
        ],
        transitions: [
          { to: 'plan', condition: 'again == true' },
          { to: 'end', isDefault: true },
        ],
      },
    ],
    {
      id,
      enforcement,
      variables: [
        { name: 'answer', type: 'string', defaultValue: '' },
        { name: 'again', type: 'boolean', defaultValue: false },
        { name: 'goal', type: 'string', defaultValue: '' },
      ],
      session_outcomes: [
        { name: 'declined', when: 'answer == "no"', result: 'stopped' },
        { name: 'built', when: 'answer == "yes"', result: 'success' },
        ...(id === 'first' ? [{ name: 'odd' }] : []),
      ],
    },
  );
}

type Play =
  | { readonly kind: 'start'; readonly workflow: 'first' | 'second'; readonly title: boolean }
  | { readonly kind: 'move'; readonly session: number; readonly output: string; readonly again: boolean }
  | { readonly kind: 'stray'; readonly session: number }
  | { readonly kind: 'yield'; readonly session: number }
  | { readonly kind: 'answer'; readonly session: number; readonly option: 'yes' | 'no'; readonly by: string }
  | { readonly kind: 'collect'; readonly session: number; readonly outcome: EvidenceOutcome }
  | { readonly kind: 'abandon'; readonly session: number }
  | { readonly kind: 'read'; readonly session: number }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'count' };

const session = fc.nat(5);
const plays: fc.Arbitrary<Play> = fc.oneof(
  fc.record({
    kind: fc.constant('start' as const),
    workflow: fc.constantFrom('first' as const, 'second' as const),
    title: fc.boolean(),
  }),
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      session,
      output: fc.constantFrom('short', 'no', 'long enough', ''),
      again: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant('stray' as const), session }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('yield' as const), session }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      session,
      option: fc.constantFrom('yes' as const, 'no' as const),
      by: fc.constantFrom('ana', 'bob', 'agent'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('collect' as const),
      session,
      outcome: fc.constantFrom('passed' as const, 'failed' as const, 'not-configured' as const),
    }),
  },
  fc.record({ kind: fc.constant('abandon' as const), session }),
  fc.record({ kind: fc.constant('read' as const), session }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      seconds: fc.integer({ min: 1, max: 90_000 }),
    }),
  },
  fc.record({ kind: fc.constant('count' as const) }),
);

/** Plays in which every figure is counted at least once, so that the test does not depend on chance. Session 0 already exists. */
const everything: readonly Play[] = [
  // Session 0: an output is refused, `plan` is entered twice, and the outcome is "built".
  { kind: 'move', session: 0, output: 'long enough', again: false },
  { kind: 'yield', session: 0 },
  { kind: 'wait', seconds: 60 },
  { kind: 'answer', session: 0, option: 'yes', by: 'ana' },
  { kind: 'move', session: 0, output: 'no', again: false },
  { kind: 'move', session: 0, output: 'long enough', again: false },
  { kind: 'move', session: 0, output: 'long enough', again: true },
  { kind: 'yield', session: 0 },
  { kind: 'answer', session: 0, option: 'yes', by: 'bob' },
  { kind: 'move', session: 0, output: 'long enough', again: false },
  { kind: 'move', session: 0, output: 'long enough', again: false },
  // Session 1: the agent moves without a transition, and collects evidence.
  { kind: 'start', workflow: 'second', title: false },
  { kind: 'move', session: 1, output: 'long enough', again: false },
  { kind: 'stray', session: 1 },
  { kind: 'collect', session: 1, outcome: 'failed' },
  { kind: 'move', session: 1, output: 'short', again: false },
  { kind: 'collect', session: 1, outcome: 'passed' },
  { kind: 'move', session: 1, output: 'short', again: false },
  // Session 2: a person declines. Session 3 is abandoned.
  { kind: 'start', workflow: 'first', title: false },
  { kind: 'move', session: 2, output: 'long enough', again: false },
  { kind: 'yield', session: 2 },
  { kind: 'answer', session: 2, option: 'no', by: 'bob' },
  { kind: 'move', session: 2, output: 'long enough', again: false },
  { kind: 'start', workflow: 'first', title: true },
  { kind: 'abandon', session: 3 },
  // Session 4: its checkpoint still waits for an answer.
  { kind: 'start', workflow: 'first', title: false },
  { kind: 'move', session: 4, output: 'long enough', again: false },
  { kind: 'yield', session: 4 },
  { kind: 'wait', seconds: 90 },
];

/** Returns a collector that always reports the given outcome. */
function collectorOf(outcome: () => EvidenceOutcome): EvidenceCollector {
  return {
    folder: '/home/someone/errands',
    tree: () => Promise.resolve('commit:4f1c9e2'),
    collect: () =>
      Promise.resolve({
        result: {
          kind: 'check',
          level: 'rerun',
          outcome: outcome(),
          reasons: [],
          tree: 'commit:4f1c9e2',
        },
      }),
  };
}

interface Running {
  readonly sid: string;
  token: string;
}

interface PlayServer extends TestServer {
  outcome: EvidenceOutcome;
}

function openPlayServer(): PlayServer {
  const evidence = collectorOf(() => server.outcome);
  const opened = openTestServer([errandWorkflow('first', 'strict'), errandWorkflow('second', 'advisory')], {
    evidence,
  });
  const server: PlayServer = Object.assign(opened, { outcome: 'passed' as const });
  return server;
}

/** Carries out one play. Refused calls are counted too, so their errors are caught. */
async function play(server: PlayServer, running: Running[], one: Play): Promise<void> {
  if (one.kind === 'wait') return void (server.nowMs += one.seconds * 1000);
  if (one.kind === 'count') return void (await server.person('ana').insights());
  if (one.kind === 'start') {
    const { workflow: workflowId, title } = one;
    const started = await server.sessions.start({
      agentId: 'worker',
      workflowId,
      ...(title && { title: 'A title' }),
    });
    running.push({ sid: started.value.sid, token: started.token });
    return;
  }
  const target = running[one.session % Math.max(1, running.length)];
  if (target === undefined) return;
  const { token, sid } = target;
  const call = async (): Promise<Partial<Reply<unknown>>> => {
    switch (one.kind) {
      case 'move': {
        const { current } = (await server.sessions.status(token)).value;
        const steps = { plan: ['think', 'ask'], work: ['build'] }[current ?? ''] ?? [];
        const variables = current === 'work' ? { again: one.again } : {};
        const manifest = steps.map((step_id) => ({ step_id, output: one.output }));
        return server.sessions.move(token, current === undefined ? {} : { manifest, variables });
      }
      case 'stray':
        return server.sessions.move(token, { activityId: 'work', manifest: [] });
      case 'yield':
        return server.sessions.yield(token, 'go');
      case 'read':
        return server.sessions.activity(token, { full: false });
      case 'collect':
        server.outcome = one.outcome;
        return server.sessions.collect(token, { waitMs: 20_000 });
      case 'abandon':
        await server.person('bob').abandon(sid);
        return {};
      case 'answer':
        if (one.by === 'agent')
          return server.sessions.answer(token, { mode: { kind: 'option', option: one.option } });
        await server
          .person(one.by)
          .respond(sid, { mode: { kind: 'option', option: one.option }, note: 'So be it' });
        return {};
    }
  };
  const after: { readonly token?: string; readonly read?: ReadText | undefined } = await call().catch(
    (error: unknown) => ({
      read: server.sessions.readTextOf(error),
    }),
  );
  // A server adds the length of its reply like this.
  if (after.read !== undefined) after.read.chars += one.kind.length * 101;
  const fresh = after.token ?? (await server.sessions.start({ agentId: 'worker', sessionToken: sid })).token;
  target.token = fresh;
}

test('Figures equal a slow count over the journals, and their tags lead to the sessions behind them', async () => {
  const seen = {
    refusals: 0,
    outcomes: new Set<string>(),
    agentRefusals: 0,
    waits: 0,
    openSeconds: 0,
    retries: 0,
    departed: 0,
    evidence: 0,
    read: 0,
  };
  const property = fc.asyncProperty(fc.array(plays, { minLength: 20, maxLength: 70 }), async (all) => {
    const server = openPlayServer();
    const running: Running[] = [];
    await play(server, running, { kind: 'start', workflow: 'first', title: true });
    for (const one of all) await play(server, running, one);
    for (const workflowId of [undefined, 'first', 'second']) {
      const query = workflowId === undefined ? {} : { workflowId };
      const { behind, ...insights } = await server.person('ana').insights(query);
      expect(behind).toBe(0);
      const now = new Date(server.nowMs).toISOString();
      expect(sorted(insights)).toEqual(sorted(await countSlowly(server.store, { workflowId, now })));
      await expectTagsToLead(server, insights, workflowId);
      seen.refusals += insights.refusals.length;
      seen.agentRefusals += insights.agentRefusals.filter(({ step }) => step !== '').length;
      seen.waits += insights.people.length;
      seen.openSeconds += insights.activities.reduce((sum, { open }) => sum + open.seconds, 0);
      seen.retries += insights.activities.reduce((sum, { retries }) => sum + retries, 0);
      seen.departed += insights.followed.of - insights.followed.sessions;
      seen.evidence += insights.evidence.length;
      seen.read += insights.readTokens.total;
      for (const { outcome } of insights.outcomes) seen.outcomes.add(outcome);
    }
  });
  await fc.assert(property, { numRuns: isLong ? 3_000 : 25, examples: [[[...everything]]] });
  // Every figure was counted at least once.
  expect(seen.outcomes.size).toBeGreaterThan(2);
  const { outcomes: _outcomes, ...counts } = seen;
  for (const [name, count] of Object.entries(counts)) expect(count, name).toBeGreaterThan(0);
}, 120_000);

/** Sorts the entries of each list, because entries with equal figures can come in any order. */
function sorted(insights: Insights): object {
  const textOf = (value: unknown): string => JSON.stringify(value, keysInOrder);
  const orderOf = (value: unknown): unknown =>
    Array.isArray(value) ? value.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : value;
  const ordered = Object.entries(insights).map(([name, value]): [string, unknown] => [name, orderOf(value)]);
  return JSON.parse(JSON.stringify(Object.fromEntries(ordered), keysInOrder)) as object;
}

function keysInOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function expectTagsToLead(
  { store }: TestServer,
  {
    outcomes,
    refusals,
    activities,
    agents,
    agentRefusals,
    people,
    evidence,
    days,
    calls,
    workflows,
    followed,
  }: Insights,
  within: string | undefined,
): Promise<void> {
  const figures = [
    ...outcomes,
    ...refusals,
    ...activities,
    ...agents,
    ...agentRefusals,
    ...people,
    ...evidence,
    ...days,
  ];
  for (const figure of [...days, ...workflows])
    for (const [result, tag] of Object.entries(figure.resultTags)) {
      const workflowId = 'workflowId' in figure ? figure.workflowId : within;
      const query = { tags: [tag], ...(workflowId !== undefined && { workflowId }) };
      const { sessions } = await store.find(query, { limit: 1_000 });
      expect(sessions.length, tag).toBe(figure[result as keyof typeof figure.resultTags]);
    }
  for (const figure of figures) {
    const workflowId = 'workflowId' in figure ? figure.workflowId : within;
    const query = { tags: [figure.tag], ...(workflowId !== undefined && { workflowId }) };
    const { sessions } = await store.find(query, { limit: 1_000 });
    expect(sessions.length, figure.tag).toBe(figure.sessions);
  }
  for (const [tag, count] of [
    ['followed', followed.sessions],
    ['departed', followed.of - followed.sessions],
  ] as const) {
    const query = { tags: [tag], ...(within !== undefined && { workflowId: within }) };
    expect((await store.find(query, { limit: 1_000 })).sessions.length, tag).toBe(count);
  }
  for (const workflowId of within === undefined ? ['first', 'second'] : [within]) {
    const counted = await sessionsOfTags(store, workflowId);
    const own = activities.filter((one) => one.workflowId === workflowId);
    for (const { open } of own) {
      const { sessions } = await store.find({ tags: [open.tag], workflowId }, { limit: 1_000 });
      expect(sessions.length, open.tag).toBe(open.checkpoints);
    }
    const found = [
      calls.refusedTag,
      ...own.flatMap(({ retriedTag, refusedTag }) => [retriedTag, refusedTag]),
      ...agents.map(({ refusedTag }) => refusedTag),
    ];
    for (const tag of found) {
      const { sessions } = await store.find({ tags: [tag], workflowId }, { limit: 1_000 });
      expect(sessions.length, tag).toBe(counted.get(tag) ?? 0);
    }
  }
}
