import {
  begin,
  decide,
  evolve,
  graphNavigator,
  nextCalls,
  startSession,
} from '@workflowlookup/core/decisions';
import type { NextCall } from '@workflowlookup/core';
import type { Navigator, SessionCommand, SessionState } from '@workflowlookup/core/decisions';
import type { JsonObject } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import type { ActivityVisit } from './walks/walk.ts';
import { allActivityWalks } from './walks/index.ts';
import { readBundledFolders } from '../support/bundled-folders.ts';
import { sampleOf, stepsWithFields, withoutFields } from '../support/field-samples.ts';

const readings = await readBundledFolders();
const at = '2026-01-01T00:00:00.000Z';

describe.each(allActivityWalks)('a session on $id', ({ id, walks }) => {
  const workflow = readings.find((reading) => reading.id === id)?.workflow;
  if (workflow === undefined) throw new Error(`${id} can't be read`);
  const navigator = graphNavigator(workflow);
  const steps = stepsWithFields(workflow);

  it.each(walks)('can follow the whole walk $name', ({ path }) => {
    const event = startSession(navigator);
    let state = carryOut(begin('session', { at, event }), { kind: 'move' }, navigator);
    for (const entry of path) {
      const [activity, visit] = typeof entry === 'string' ? [entry, {}] : entry;
      expect(state.current).toBe(activity);
      state = leave(state, visit, { navigator, steps });
    }
    expect(state.status).toBe('completed');
  });
});

interface Work {
  readonly navigator: Navigator;
  readonly steps: ReturnType<typeof stepsWithFields>;
}

/** Makes the calls that the session requires, with the answers of the visit, until it leaves the activity. */
function leave(state: SessionState, visit: ActivityVisit, work: Work): SessionState {
  const [call] = nextCalls(state, work.navigator, 'declared').filter(({ kind }) => commands.includes(kind));
  if (call === undefined) throw new Error(`Nothing is legal in '${state.current}'`);
  const next = carryOut(state, commandOf(call, visit, work), work.navigator);
  return call.kind === 'move' ? next : leave(next, visit, work);
}

const commands: readonly NextCall['kind'][] = ['yield', 'answer', 'move'];

function commandOf(call: NextCall, { answers = {}, sets = {} }: ActivityVisit, work: Work): SessionCommand {
  switch (call.kind) {
    case 'yield':
      return { kind: 'yield', checkpointId: call.checkpoint };
    case 'answer': {
      const mode = { kind: 'option', option: answers[call.checkpoint] ?? '' } as const;
      return { kind: 'answer', mode, by: call.by === 'human' ? 'human' : 'agent', note: 'Because.' };
    }
    case 'move': {
      const names = call.steps.map((step) => step.split('::').at(-1) ?? '');
      const manifest = call.steps.map((step, index) => ({
        step_id: step,
        output: outputOf(names[index] ?? '', sets, work),
      }));
      const variables = withoutFields(
        sets,
        names.map((name) => work.steps.get(name)),
      );
      return { kind: 'move', manifest, variables };
    }
    case 'present':
    case 'collect':
    case 'read-activity':
      throw new Error(`A call of kind '${call.kind}' is not expected`);
  }
}

function outputOf(name: string, sets: JsonObject, { steps }: Work): string {
  const step = steps.get(name);
  return step === undefined ? 'Done as described.' : JSON.stringify(sampleOf(step, sets));
}

function carryOut(state: SessionState, command: SessionCommand, navigator: Navigator): SessionState {
  const decision = decide(state, command, {
    navigator,
    nowMs: Date.parse(at),
    minResponseMs: 0,
    gates: 'declared',
    judge: () => undefined,
  });
  if (!decision.ok) throw new Error(decision.message);
  return evolve(state, { at, event: decision.event });
}
