import type { Activity, ActivityWorkflow, ActivityWorkflowDefinition, Step } from '@workflowlookup/schema';
import { digestOfWorkflow } from '@workflowlookup/schema';
import type { SessionPolicy } from '@workflowlookup/core/sessions';
import { expect, test } from 'vitest';
import { messages } from '../../src/messages.ts';
import type { Answer, Bakery } from '../support/bakery.ts';
import { openBakery } from '../support/bakery.ts';
import { workflow as stepWorkflow } from '../support/flow.ts';

/** The error in `_meta`. */
interface Refused {
  readonly name: string;
  readonly data: {
    readonly next?: string | readonly string[];
    readonly next_call?: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };
  };
}

function refusedBy({ isError, meta, text }: Answer): Refused {
  expect(isError, text).toBe(true);
  return meta['workflowlookup/error'] as Refused;
}

/** The option that an agent or a person chooses. */
interface Choice {
  readonly option: string;
}

/**
 * Makes the call that a refusal recommends, and expects that it is accepted. If the refusal recommends to wait for a
 * person, it expects that their answer ends the wait.
 */
async function follow(bakery: Bakery, refused: Answer, { option, token }: Choice & { token: string }) {
  const { data } = refusedBy(refused);
  const newest = refused.token === 'undefined' ? token : refused.token;
  const call = data.next_call ?? (await callOfStatus(bakery, newest, data.next));
  const named = data.next_call === undefined ? '' : `${call.tool} ${JSON.stringify(call.arguments)}`;
  expect(refused.text).toContain(named);
  bakery.pass(100_000);
  const args = Object.fromEntries(
    Object.entries(call.arguments).map(([name, value]) => [
      name,
      value === '<option_id>' ? option : name === 'note' ? 'Because' : value,
    ]),
  );
  const isWait = call.tool === 'resume_checkpoint';
  const followed = isWait
    ? await waitForPerson(bakery, refused, { option, token: newest })
    : await bakery.call(call.tool, { session_token: newest, ...args });
  expect(followed.isError, `${refused.text}\n→ ${call.tool}: ${followed.text}`).toBe(false);
  return { ...call, answer: followed };
}

/** Waits for an answer, and lets a person answer with the command in the refusal. */
async function waitForPerson(bakery: Bakery, refused: Answer, { option, token }: Choice & { token: string }) {
  const early = await bakery.call('resume_checkpoint', { session_token: token });
  expect(refusedBy(early).name).toBe('CHECKPOINT_OPEN');
  expect(refused.text).toMatch(/\n {2}respond [0-9a-f]{20}\n/);
  const sid = /respond ([0-9a-f]{20})/.exec(refused.text)?.[1] ?? '';
  await bakery.operator.respond(sid, { mode: { kind: 'option', option } });
  return bakery.call('resume_checkpoint', { session_token: token });
}

/** Returns the recommended call: a tool that is named alone needs only the token, and otherwise the status has the calls. */
async function callOfStatus(bakery: Bakery, token: string, next: Refused['data']['next']) {
  if (typeof next === 'string')
    return { tool: next, arguments: next === 'start_session' ? { agent_id: 'a', workflow_id: 'w' } : {} };
  const { json } = await bakery.call('get_workflow_status', { session_token: token });
  const calls = (json['next'] ?? []) as { tool: string; arguments: object; manifest_steps?: string[] }[];
  const move = calls.find(({ tool }) => tool === 'next_activity') ?? calls[0];
  if (move === undefined) throw new Error(`No call is advised: ${JSON.stringify(json)}`);
  const { manifest_steps: steps = [] } = move;
  return {
    tool: move.tool,
    arguments: {
      ...move.arguments,
      step_manifest: steps.map((id) => ({ step_id: id, output: `Done ${id}` })),
    },
  };
}

const options = [
  { id: 'yes', label: 'Yes' },
  { id: 'no', label: 'No' },
];

function checkpointOf(id: string, more: object = {}) {
  return { id, name: id, message: `${id}?`, options, ...more };
}

/** Returns an activity workflow with the id `w` and these activities. */
function graph(
  activities: readonly (Partial<Activity> & { readonly id: string })[],
  more: Partial<ActivityWorkflowDefinition> = {},
): ActivityWorkflow {
  const parts = activities.map((activity, at) => ({
    id: activity.id,
    index: `0${at + 1}`,
    file: `activities/${activity.id}.yaml`,
    format: 'yaml' as const,
    text: '',
    pointer: '',
    definition: { version: '1.0.0', name: activity.id, ...activity } as Activity,
  }));
  const made: ActivityWorkflow = {
    kind: 'activities',
    id: 'w',
    digest: '',
    definition: { id: 'w', version: '1.0.0', title: 'W', ...more },
    text: '',
    format: 'yaml',
    activities: parts,
    skills: [],
    resources: [],
    problems: [],
  };
  return { ...made, digest: digestOfWorkflow(made) };
}

/** Returns a workflow whose first activity has a step with a checkpoint. */
function asking(more: object = {}, activity: object = {}): ActivityWorkflow {
  return graph([
    {
      id: 'work',
      steps: [
        { id: 'do', name: 'Do' },
        { id: 'ask', name: 'Ask', checkpoint: 'ok' },
      ] as never,
      checkpoints: [checkpointOf('ok', more)] as never,
      transitions: [{ to: 'after' }],
      ...activity,
    },
    { id: 'after', steps: [{ id: 'report', name: 'Report' }] as never },
  ]);
}

const work = [
  { step_id: 'do', output: 'Done' },
  { step_id: 'ask', output: 'Asked' },
];

async function opened(
  served: ActivityWorkflow | ReturnType<typeof stepWorkflow>,
  policy: Partial<SessionPolicy> = {},
) {
  const bakery = await openBakery(policy, { project: '/w', workflows: [served] });
  const { token } = await bakery.call('start_session', {
    agent_id: 'a',
    workflow_id: served.id,
    include_activity: true,
  });
  return { bakery, token };
}

async function stopped(
  served: Parameters<typeof opened>[0],
  policy: Partial<SessionPolicy> = {},
  more: object = {},
) {
  const { bakery, token } = await opened(served, policy);
  const checkpoint = served.kind === 'steps' ? 'confirm' : 'ok';
  const asked = await bakery.call('yield_checkpoint', {
    session_token: token,
    checkpoint_id: checkpoint,
    ...more,
  });
  expect(asked.isError, asked.text).toBe(false);
  return { bakery, token: asked.token };
}

const deciders = {
  user: {},
  agent: { approver: 'agent' },
  person: { approver: 'human' },
} as const;

const heldCalls: readonly (readonly [tool: string, args: object])[] = [
  ['next_activity', { step_manifest: work }],
  ['get_activity', {}],
  ['get_workflow', {}],
  ['get_skills', {}],
  ['get_skill', {}],
  ['get_resource', { resource_id: '01' }],
  ['get_trace', {}],
  ['yield_checkpoint', { checkpoint_id: 'ok' }],
  ['resume_checkpoint', {}],
  ['collect_evidence', {}],
  ['park', { reason: 'Lunch' }],
];

test.each(Object.entries(deciders))(
  'Every call that an open checkpoint of a %s blocks is refused with calls that work',
  async (who, more) => {
    for (const [tool, args] of heldCalls) {
      const { bakery, token } = await stopped(asking(more));
      const refused = await bakery.call(tool, { session_token: token, ...args });
      expect(refusedBy(refused).name, tool).toBe('CHECKPOINT_OPEN');
      const { tool: advised } = await follow(bakery, refused, { option: 'yes', token });
      expect(advised).toBe(who === 'person' ? 'resume_checkpoint' : 'respond_checkpoint');
      expect(refused.text.includes('respond_checkpoint')).toBe(who !== 'person');
    }
  },
);

test('A checkpoint that only people can answer on this server is refused with calls that work', async () => {
  const { bakery, token } = await stopped(asking({ approver: 'agent' }), { gates: 'human' });
  const refused = await bakery.call('next_activity', { session_token: token, step_manifest: work });
  expect((await follow(bakery, refused, { option: 'no', token })).tool).toBe('resume_checkpoint');
});

const unasked = [
  ...Object.entries(deciders).map(([who, more]) => ({ who, more, enforcement: 'strict' as const })),
  { who: 'person', more: deciders.person, enforcement: 'advisory' as const },
];

test.each(unasked)(
  'A $enforcement move without its checkpoint for a $who is refused with calls that work',
  async ({ more, enforcement }) => {
    const { bakery, token } = await opened(asking(more), { enforcement });
    const refused = await bakery.call('next_activity', { session_token: token, step_manifest: work });
    expect(refusedBy(refused)).toMatchObject({
      name: 'CHECKPOINT_OPEN',
      data: {
        next_call: {
          tool: 'yield_checkpoint',
          arguments: { checkpoint_id: 'ok', include_checkpoint: true },
        },
      },
    });
    await follow(bakery, refused, { option: 'yes', token });
  },
);

test('A checkpoint that becomes required because of the values of a move can be yielded with these values', async () => {
  const conditional = asking({ condition: 'risk == "high"', approver: 'human' });
  const { bakery, token } = await opened(conditional);
  const variables = { risk: 'high', other: 'x' };
  const refused = await bakery.call('next_activity', {
    session_token: token,
    step_manifest: work,
    variables,
  });
  expect(refusedBy(refused).data.next_call?.arguments).toMatchObject({ variables: { risk: 'high' } });
  const { answer } = await follow(bakery, refused, { option: 'yes', token });
  const held = await bakery.call('next_activity', { session_token: answer.token, step_manifest: work });
  expect(refusedBy(held).data.next_call?.tool).toBe('resume_checkpoint');
});

test('A checkpoint for items in a list of the move, or behind a field, can be yielded in the same way', async () => {
  const inLoop = asking(
    { approver: 'human' },
    {
      steps: [{ id: 'do', name: 'Do' }],
      loops: [
        {
          id: 'each',
          name: 'Each',
          type: 'forEach',
          over: 'files',
          variable: 'file',
          maxIterations: 9,
          steps: [{ id: 'ask', name: 'Ask', checkpoint: 'ok' }],
        },
      ],
    },
  );
  const first = await opened(inLoop);
  const listed = await first.bakery.call('next_activity', {
    session_token: first.token,
    step_manifest: [work[0]],
    variables: { files: ['a', 'b'] },
  });
  const { answer } = await follow(first.bakery, listed, { option: 'yes', token: first.token });
  expect(answer.isError).toBe(false);

  const byField = asking(
    { condition: 'risk == "high"' },
    {
      steps: [
        { id: 'do', name: 'Do', fields: [{ id: 'risk' }], sets: { risk: 'risk' } },
        { id: 'ask', name: 'Ask', checkpoint: 'ok' },
      ],
    },
  );
  const second = await opened(byField, { enforcement: 'strict' });
  const fields = [{ step_id: 'do', output: { risk: 'high' } }, work[1]];
  const refused = await second.bakery.call('next_activity', {
    session_token: second.token,
    step_manifest: fields,
  });
  expect(refusedBy(refused).name).toBe('CHECKPOINT_OPEN');
  const asked = await follow(second.bakery, refused, { option: 'yes', token: second.token });
  const held = await second.bakery.call('get_activity', { session_token: asked.answer.token });
  const answered = await follow(second.bakery, held, { option: 'yes', token: asked.answer.token });
  const moved = await second.bakery.call('next_activity', {
    session_token: answered.answer.token,
    step_manifest: fields,
  });
  expect(moved.isError, moved.text).toBe(false);
});

test('Refused answers name calls that work', async () => {
  const note = [{ id: 'yes', label: 'Yes', note: 'required' }, options[1]];
  const timed = { defaultOption: 'yes', autoAdvanceMs: 60_000 };
  const cases: readonly (readonly [question: object, answer: object, code: string])[] = [
    [{}, { option_id: 'maybe' }, 'INVALID_STATE'],
    [{}, { auto_advance: true }, 'INVALID_STATE'],
    [{}, { condition_not_met: true }, 'INVALID_STATE'],
    [{ blocking: true, ...timed }, { auto_advance: true }, 'INVALID_STATE'],
    [timed, { auto_advance: true }, 'INVALID_STATE'],
    [{ condition: 'a == 1' }, { option_id: 'yes' }, 'INVALID_STATE'],
    [{ condition: 'a != 1' }, { condition_not_met: true }, 'INVALID_STATE'],
    [{ approver: 'agent' }, { option_id: 'maybe' }, 'INVALID_STATE'],
    [{ approver: 'human' }, { option_id: 'yes' }, 'HUMAN_REQUIRED'],
    [{ approver: 'human' }, { option_id: 'maybe' }, 'HUMAN_REQUIRED'],
    [{ options: note }, { option_id: 'yes' }, 'NOTE_REQUIRED'],
    [{ options: note, approver: 'agent' }, { option_id: 'yes' }, 'NOTE_REQUIRED'],
  ];
  for (const [question, answer, code] of cases) {
    const { bakery, token } = await stopped(asking(question));
    bakery.pass(5000);
    const refused = await bakery.call('respond_checkpoint', { session_token: token, ...answer });
    expect(refusedBy(refused).name, JSON.stringify([question, answer])).toBe(code);
    await follow(bakery, refused, { option: code === 'NOTE_REQUIRED' ? 'yes' : 'no', token });
  }
  const { bakery, token } = await stopped(asking());
  const soon = await bakery.call('respond_checkpoint', { session_token: token, option_id: 'yes' });
  expect(refusedBy(soon).name).toBe('INVALID_STATE');
  await follow(bakery, soon, { option: 'yes', token });
});

test('A refused answer that would overrule a person names calls that work', async () => {
  const signs = { id: 'yes', label: 'Yes', effect: { setVariable: { release: true } } };
  const two = graph(
    [
      {
        id: 'sign',
        checkpoints: [checkpointOf('ok', { approver: 'human', options: [signs, options[1]] })] as never,
        transitions: [{ to: 'then' }],
      },
      { id: 'then', checkpoints: [checkpointOf('ok', { options: [signs, options[1]] })] as never },
    ],
    { variables: [{ name: 'release', type: 'boolean' }] },
  );
  const { bakery, token } = await stopped(two);
  const held = await bakery.call('get_activity', { session_token: token });
  const { answer } = await follow(bakery, held, { option: 'no', token });
  const moved = await bakery.call('next_activity', { session_token: answer.token });
  const asked = await bakery.call('yield_checkpoint', { session_token: moved.token, checkpoint_id: 'ok' });
  bakery.pass(5000);
  const refused = await bakery.call('respond_checkpoint', { session_token: asked.token, option_id: 'yes' });
  expect(refusedBy(refused).name).toBe('VARIABLE_PROTECTED');
  expect((await follow(bakery, refused, { option: 'yes', token: asked.token })).tool).toBe(
    'resume_checkpoint',
  );
});

test('A refused answer to a checkpoint that was not yielded or is already answered names calls that work', async () => {
  const { bakery, token } = await opened(asking());
  const early = await bakery.call('next_activity', {
    session_token: token,
    option_id: 'yes',
    step_manifest: work,
  });
  const { tool, answer } = await follow(bakery, early, { option: 'yes', token });
  expect(tool).toBe('yield_checkpoint');
  bakery.pass(5000);
  const given = await bakery.call('respond_checkpoint', { session_token: answer.token, option_id: 'yes' });
  for (const [late, args] of [
    ['respond_checkpoint', { option_id: 'no' }],
    ['present_checkpoint', {}],
  ] as const) {
    const refused = await bakery.call(late, { session_token: given.token, ...args });
    expect(refusedBy(refused).name).toBe('INVALID_STATE');
    await follow(bakery, refused, { option: 'yes', token: given.token });
  }
});

test('A refused move after an answer that sent the work back names calls that work, in a step workflow', async () => {
  const steps = [{ id: 'draft', title: 'Draft', prompt: 'Write', requireConfirmation: true }] as Step[];
  const served = stepWorkflow({
    id: 's',
    name: 'S',
    description: 'D',
    version: '1.0.0',
    category: 'c',
    steps,
  });
  const { bakery, token } = await stopped(served);
  bakery.pass(5000);
  const back = await bakery.call('respond_checkpoint', { session_token: token, option_id: 'revise' });
  const refused = await bakery.call('next_activity', {
    session_token: back.token,
    step_manifest: [{ step_id: 'draft', output: 'Again' }],
  });
  expect(refusedBy(refused).name).toBe('CHECKPOINT_OPEN');
  await follow(bakery, refused, { option: 'confirm', token: back.token });
});

test('Refused calls before the first activity, after the end, and with an invalid token name calls that work', async () => {
  const bakery = await openBakery({}, { project: '/w', workflows: [asking()] });
  const { token } = await bakery.call('start_session', { agent_id: 'a', workflow_id: 'w' });
  for (const [tool, args] of [
    ['get_activity', {}],
    ['yield_checkpoint', { checkpoint_id: 'ok' }],
    ['get_skill', { step_id: 'do' }],
    ['resume_checkpoint', {}],
  ] as const) {
    const refused = await bakery.call(tool, { session_token: token, ...args });
    expect(refusedBy(refused).name, tool).toBe('INVALID_STATE');
    expect(refusedBy(refused).data.next).toBe('next_activity');
  }
  const entered = await bakery.call('next_activity', { session_token: token });
  const second = await bakery.call('next_activity', { session_token: entered.token, step_manifest: work });
  const report = [{ step_id: 'report', output: 'Done' }];
  const ended = await bakery.call('next_activity', { session_token: second.token, step_manifest: report });
  expect(ended.json['status']).toBe('completed');
  for (const tool of ['next_activity', 'collect_evidence']) {
    const refused = await bakery.call(tool, { session_token: ended.token });
    expect(refusedBy(refused).name).toBe('SESSION_COMPLETED');
    await follow(bakery, refused, { option: '', token: ended.token });
  }
  const refused = await bakery.call('get_activity', { session_token: 'wl_forged' });
  expect(refusedBy(refused).name).toBe('TOKEN_INVALID');
  await follow(bakery, refused, { option: '', token: '' });
});

test('A refused move leads to a status whose calls are accepted', async () => {
  const cases: readonly (readonly [args: object, code: string])[] = [
    [{ step_manifest: [work[0]] }, 'MANIFEST_INVALID'],
    [{}, 'MANIFEST_INVALID'],
    [{ step_manifest: [{ step_id: 'do', not_done: 'No time' }] }, 'MANIFEST_INVALID'],
    [{ step_manifest: [work[0]], activity_id: 'nowhere' }, 'ACTIVITY_NOT_FOUND'],
    [{ step_manifest: [work[0]], activity_id: 'end' }, 'ILLEGAL_TRANSITION'],
  ];
  const plain = asking(
    {},
    {
      steps: [
        { id: 'do', name: 'Do' },
        { id: 'more', name: 'More' },
      ],
      checkpoints: [],
    },
  );
  for (const [args, code] of cases) {
    const { bakery, token } = await opened(plain, { enforcement: 'strict' });
    const refused = await bakery.call('next_activity', { session_token: token, ...args });
    expect(refusedBy(refused).name).toBe(code);
    await follow(bakery, refused, { option: '', token });
  }
});

test('A write that came too late can continue with the token of the error', async () => {
  const { bakery, token } = await opened(asking());
  const other = await bakery.call('start_session', { agent_id: 'b', session_token: token });
  await bakery.call('yield_checkpoint', { session_token: other.token, checkpoint_id: 'ok' });
  bakery.pass(5000);
  const answered = await bakery.call('respond_checkpoint', { session_token: other.token, option_id: 'yes' });
  expect(refusedBy(answered).name).toBe('SESSION_CONFLICT');
  expect(refusedBy(answered).data.next).toBe('get_workflow_status');
  await follow(bakery, answered, { option: 'yes', token });
});

test('A reply tells an agent that cannot talk to the user to wait if there is a second agent', async () => {
  const { bakery, token } = await stopped(asking());
  const other = await bakery.call('start_session', { agent_id: 'b', session_token: token });
  const refused = await bakery.call('get_activity', { session_token: other.token });
  const answer = 'respond_checkpoint {"option_id":"<option_id>"}';
  const wait = 'resume_checkpoint {"wait_ms":50000}';
  expect(refused.text).toContain(messages.askUserOrWait(['yes', 'no'], answer, wait));
  await follow(bakery, refused, { option: 'yes', token: other.token });
});
