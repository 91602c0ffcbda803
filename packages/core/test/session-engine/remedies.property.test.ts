import type { Json, Workflow } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../../test/support/is-long.ts';
import type { Remedy } from '../../src/session-engine/refusals.ts';
import type { Reply } from '../../src/session-engine/sessions.ts';
import type { NextCall } from '../../src/session/status.ts';
import { workflow as stepWorkflow } from '../support/step-workflows.ts';
import { graphSketch, stepSketches } from '../support/arbitrary-workflows.ts';
import { activityWorkflow } from '../support/sessions.ts';
import type { TestServer } from '../support/test-server.ts';
import { openTestServer } from '../support/test-server.ts';

/** A random call of an agent that has not read the rules. */
type Whim =
  | {
      readonly kind: 'move';
      readonly to: string | undefined;
      readonly isThorough: boolean;
      readonly variables: Readonly<Record<string, Json>>;
    }
  | { readonly kind: 'yield'; readonly checkpoint: string }
  | { readonly kind: 'answer'; readonly option: string }
  | { readonly kind: 'dismiss' }
  | { readonly kind: 'park' }
  | { readonly kind: 'read' };

const variables = fc.record(
  {
    a: fc.constantFrom(0, 1, 2),
    b: fc.constantFrom(0, 1, 2),
    d: fc.constantFrom(0, 1),
    m: fc.boolean(),
    items: fc.constantFrom([], ['x'], ['x', 'y', 'z']),
  },
  { requiredKeys: [] },
);

const whim: fc.Arbitrary<Whim> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      to: fc.constantFrom(undefined, undefined, undefined, 'a1', 'a2', 'a3', 'end'),
      isThorough: fc.boolean(),
      variables: fc.oneof(fc.constant({}), variables),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('g0', 'g1', 'confirm')
      .map((checkpoint) => ({ kind: 'yield' as const, checkpoint })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('o0', 'o1', 'confirm', 'revise', 'other')
      .map((option) => ({ kind: 'answer' as const, option })),
  },
  { weight: 1, arbitrary: fc.constantFrom<Whim[]>({ kind: 'dismiss' }, { kind: 'park' }, { kind: 'read' }) },
);

const served: Readonly<Record<string, fc.Arbitrary<Workflow>>> = {
  'an activity workflow': graphSketch.map(({ activities, more }) => activityWorkflow(activities, more)),
  'a step workflow': stepSketches.map((steps) => stepWorkflow(steps)),
};

/** An agent with its newest token. */
interface Agent {
  readonly server: TestServer;
  readonly sid: string;
  token: string;
}

async function doCall(
  agent: Agent,
  call: (token: string) => Promise<Reply<unknown>>,
): Promise<WorkflowError | undefined> {
  try {
    ({ token: agent.token } = await call(agent.token));
    return undefined;
  } catch (error) {
    if (error instanceof WorkflowError) return error;
    throw error;
  }
}

async function act({ server: { sessions } }: Agent, token: string, one: Whim): Promise<Reply<unknown>> {
  switch (one.kind) {
    case 'move': {
      const { next } = (await sessions.status(token)).value;
      const steps = next.find(({ kind }) => kind === 'move') as
        | Extract<NextCall, { kind: 'move' }>
        | undefined;
      const manifest = one.isThorough
        ? (steps?.steps ?? []).map((id) => ({ step_id: id, output: 'Done' }))
        : [];
      return sessions.move(token, {
        ...(one.to === undefined ? {} : { activityId: one.to }),
        manifest,
        variables: one.variables,
      });
    }
    case 'yield':
      return sessions.yield(token, one.checkpoint);
    case 'answer':
      return sessions.answer(token, { mode: { kind: 'option', option: one.option } });
    case 'dismiss':
      return sessions.answer(token, { mode: { kind: 'condition-not-met' } });
    case 'park':
      return sessions.park(token, { reason: 'Lunch' });
    case 'read':
      return sessions.activity(token, { full: false });
  }
}

/** Makes the calls that a remedy allows, and returns the refusals. Having to wait for a person does not count as a refusal. */
async function follow(agent: Agent, remedy: Exclude<Remedy, string>): Promise<readonly string[]> {
  const { sessions } = agent.server;
  agent.server.nowMs += 10_000;
  if (remedy.kind === 'yield') {
    const error = await doCall(agent, (token) => sessions.yield(token, remedy.checkpoint, remedy.variables));
    if (error !== undefined) return [`yield: ${error.message}`];
    // A person has to answer then. An agent that dismisses the checkpoint gets the same refusal again.
    const { next } = (await sessions.status(agent.token)).value;
    return next.some((call) => call.kind === 'answer' && call.isIdle === true)
      ? ['yield: nobody is asked']
      : [];
  }
  if (remedy.kind !== 'answer') return [`a remedy of kind ${remedy.kind}`];
  if (remedy.by === 'human') {
    const error = await doCall(agent, (token) => sessions.resume(token));
    if (error?.code !== 'CHECKPOINT_OPEN') return [`wait: ${error?.message}`];
    const [option = ''] = remedy.options;
    await agent.server.person('ann').respond(agent.sid, { mode: { kind: 'option', option } });
    const late = await doCall(agent, (token) => sessions.resume(token));
    return late === undefined ? [] : [`wait: ${late.message}`];
  }
  const { isIdle, options } = remedy;
  if (isIdle === true) {
    const error = await doCall(agent, (token) =>
      sessions.answer(token, { mode: { kind: 'condition-not-met' } }),
    );
    return error === undefined ? [] : [`dismiss: ${error.message}`];
  }
  const refused: string[] = [];
  for (const option of options) {
    const error = await doCall(agent, (token) =>
      sessions.answer(token, { mode: { kind: 'option', option } }),
    );
    if (error === undefined) return [];
    // Another option may still work. If a person decided what this one sets, the refusal says so.
    const { remedy: then } = error.data as { readonly remedy?: Remedy };
    const isPersons = typeof then === 'object' && then.kind === 'answer' && then.by === 'human';
    if (!isPersons) refused.push(`${option}: ${error.message}`);
  }
  return refused;
}

test.each(Object.entries(served))(
  'in %s, a call that a refusal recommends is not refused',
  async (_kind, workflows) => {
    await fc.assert(
      fc.asyncProperty(
        workflows,
        fc.array(whim, { minLength: 4, maxLength: 12 }),
        fc.record({ isStrict: fc.boolean(), isHuman: fc.boolean() }),
        async (workflow, whims, { isStrict, isHuman }) => {
          const server = openTestServer([workflow], {
            policy: {
              enforcement: isStrict ? 'strict' : 'advisory',
              gates: isHuman ? 'human' : 'declared',
            },
          });
          const { token, value } = await server.sessions.start({ agentId: 'a', workflowId: workflow.id });
          const agent: Agent = { server, token, sid: value.sid };
          for (const one of whims) {
            server.nowMs += 10_000;
            const error = await doCall(agent, (current) => act(agent, current, one));
            const { remedy } = (error?.data ?? {}) as { readonly remedy?: Remedy };
            if (typeof remedy !== 'object') continue;
            expect(await follow(agent, remedy), `${one.kind}: ${error?.message}`).toEqual([]);
          }
        },
      ),
      { numRuns: isLong ? 20_000 : 30 },
    );
  },
  isLong ? 3_600_000 : 60_000,
);
