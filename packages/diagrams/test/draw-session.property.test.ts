import type { NextCall } from '@workflowlookup/core';
import type { SessionHistory } from '@workflowlookup/core/operator';
import type { Workflow } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLong } from '../../../test/support/is-long.ts';
import type { SessionDiagram } from '../src/index.ts';
import { foldDiagram, drawWorkflow } from '../src/index.ts';
import { workflow } from '../../core/test/support/step-workflows.ts';
import { graphSketch, stepSketches } from '../../core/test/support/arbitrary-workflows.ts';
import { activityWorkflow } from '../../core/test/support/sessions.ts';
import type { TestServer } from '../../core/test/support/test-server.ts';
import { openTestServer } from '../../core/test/support/test-server.ts';
import { paintedSession } from './drawn-session.ts';

const runs = { numRuns: isLong ? 20_000 : 50 };
const timeout = isLong ? 3_600_000 : 60_000;

const subject: fc.Arbitrary<Workflow> = fc.oneof(
  graphSketch.map(({ activities, more }) => activityWorkflow(activities, more)),
  stepSketches.map((sketches) => workflow(sketches)),
);

/** Numbers that choose the next call among the legal ones. Most are enough for several moves, which the test requires. */
const choices = fc.oneof(
  { weight: 1, arbitrary: fc.array(fc.nat(), { maxLength: 2 }) },
  { weight: 7, arbitrary: fc.array(fc.nat(), { minLength: 8, maxLength: 16 }) },
);

/** Starts a session and makes calls that its status names, with everything that they require. */
async function wander(server: TestServer, id: string, picks: readonly number[]): Promise<string> {
  let { token, value } = await server.sessions.start({ agentId: 'a', workflowId: id });
  for (const pick of picks) {
    const { next } = (await server.sessions.status(token)).value;
    const call = next[pick % Math.max(1, next.length)];
    if (call === undefined) break;
    token = await make(server, { call, token, sid: value.sid, pick }).catch(() => token);
  }
  return value.sid;
}

interface Turn {
  readonly call: NextCall;
  readonly token: string;
  readonly sid: string;
  readonly pick: number;
}

async function make(server: TestServer, { call, token, sid, pick }: Turn): Promise<string> {
  if (call.kind === 'yield') return (await server.sessions.yield(token, call.checkpoint)).token;
  if (call.kind === 'present' || call.kind === 'answer') {
    const { checkpoint } = await server.person('ana').present(sid);
    const option = checkpoint.options[pick % checkpoint.options.length]?.id ?? '';
    await server.person('ana').respond(sid, { mode: { kind: 'option', option } });
    return (await server.sessions.resume(token)).token;
  }
  if (call.kind !== 'move') return token;
  const manifest = call.steps.map((id) => ({ step_id: id, output: 'Done' }));
  const target = call.activity === undefined ? {} : { activityId: call.activity };
  return (await server.sessions.move(token, { manifest, ...target })).token;
}

/** Returns the errors in the diagram of a session that can be found without knowing what the session did. */
function errorsIn(picture: SessionDiagram, { session, moves, outcome }: SessionHistory): readonly string[] {
  const { nodes, edges, workflow: of } = picture;
  const groups = new Set(nodes.map(({ parent }) => parent));
  const ends = new Set(nodes.filter(({ id }) => !groups.has(id)).map(({ id }) => id));
  const places = nodes.filter(({ kind }) => kind === (of.kind === 'steps' ? 'step' : 'activity'));
  const here = places.filter(({ state }) => state === 'current' || state === 'refused');
  const isEnded = session.status === 'completed' && outcome === undefined;
  const entered = moves.filter(({ to }) => to !== undefined).length;
  const visits = places.reduce((sum, node) => sum + node.visits, 0);
  return [
    ...edges
      .filter(({ from, to }) => !ends.has(from) || !ends.has(to))
      .map(({ id }) => `${id} is not connected`),
    ...(new Set(edges.map(({ id }) => id)).size === edges.length ? [] : ['edges share an id']),
    ...(here.length === (isEnded || entered === 0 ? 0 : 1) ? [] : [`${here.length} current places`]),
    ...(visits === entered ? [] : [`${visits} visits of ${entered}`]),
    ...((nodes.find(({ id }) => id === 'end')?.state === 'done') === isEnded
      ? []
      : ['the end has the wrong state']),
  ];
}

/**
 * Returns whether an edge is a move of a loop over activities that no diagram shows: the session ends after the last
 * iteration, or the next iteration begins after an activity that is not in the loop.
 */
function isUndrawn({ to }: { readonly to: string }, one: Workflow): boolean {
  if (one.kind === 'steps') return false;
  const loops = one.activities.flatMap(({ definition }) => definition.loops ?? []);
  const inLoops = loops.flatMap(({ activities = [] }) => activities);
  const [activity = ''] = to.slice(to.indexOf(':') + 1).split('/');
  return inLoops.includes(activity) || (to === 'end' && inLoops.length > 0);
}

test(
  'A diagram of a session is valid, and shows every move of a strict session on its edges',
  async () => {
    let [walked, taken] = [0, 0];
    await fc.assert(
      fc.asyncProperty(subject, choices, async (one, picks) => {
        const server = openTestServer([one], { policy: { enforcement: 'strict' } });
        const sid = await wander(server, one.id, picks);
        const ana = server.person('ana');
        const [picture, history] = [await paintedSession(ana, sid), await ana.history(sid)];
        expect(errorsIn(picture, history)).toEqual([]);
        expect(errorsIn(foldDiagram(picture), history)).toEqual([]);
        const { nodes } = drawWorkflow(one);
        expect(picture.nodes.map(({ id }) => id)).toEqual(nodes.map(({ id }) => id));
        const leaps = picture.edges.filter((edge) => edge.kind === 'leap' && !isUndrawn(edge, one));
        if (leaps.length > 0) throw new Error(JSON.stringify({ leaps, moves: history.moves }));
        walked += history.moves.length > 1 ? 1 : 0;
        taken += picture.edges.filter((edge) => edge.taken > 0).length;
      }),
      runs,
    );
    expect(Math.min(walked, taken)).toBeGreaterThan(runs.numRuns / 4);
  },
  timeout,
);
