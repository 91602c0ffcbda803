import type { Json, Workflow } from '@workflowlookup/schema';
import { parseInstanceId } from '../instance-id.ts';
import type { Runnable } from '../session-engine/runnable.ts';
import { runnableOf } from '../session-engine/runnable.ts';
import type { SessionCommand } from '../session/command.ts';
import { decide } from '../session/decide.ts';
import { begin, evolve } from '../session/evolve.ts';
import type { Gate } from '../session/navigator.ts';
import { openCheckpoints } from '../session/open-checkpoints.ts';
import type { MoveCommand, Prospect } from '../session/prospect.ts';
import { consider, undecidedOf } from '../session/prospect.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import { startSession } from '../session/start-session.ts';
import { consideredFrom } from './considered.ts';
import type { Turn, Walk, WalkOptions } from './walk.ts';

/** A walk that takes more turns than this goes round for ever. */
const maxTurns = 500;
/** The same of the answers within one activity. */
const maxAnswers = 50;

/** When every walk begins and ends: nothing in it depends on the time. */
const at = '2000-01-01T00:00:00.000Z';

/** A walk under way. */
interface Way extends WalkOptions {
  readonly runnable: Runnable;
}

/** What a command came to. */
type Outcome = { readonly state: SessionState; readonly event: SessionEvent } | { readonly stop: string };

/**
 * Walks a workflow as an agent would that does all that is due and takes the first way that is open, in a session that is
 * kept nowhere, and tells why each step was chosen and what was passed over. Outputs are taken as accepted. Pure.
 */
export function walkThrough(workflow: Workflow, options: WalkOptions = {}): Walk {
  const { mayGoOn = () => true } = options;
  const way: Way = { ...options, runnable: runnableOf(workflow) };
  const turns: Turn[] = [];
  let state = begin('walk', { at, event: startSession(way.runnable.navigator) });
  while (turns.length < maxTurns && mayGoOn()) {
    const stand = answerAll(way, state);
    if ('stop' in stand) return ended(turns, state, { end: 'stuck', why: stand.stop, left: [] });
    const command = moveFrom(way, stand.state);
    const prospect = consider(stand.state, command, way.runnable.navigator);
    const considered = consideredFrom(way.runnable, prospect);
    const moved = carryOut(way, stand.state, command);
    if ('stop' in moved)
      return ended(turns, stand.state, { end: 'stuck', why: moved.stop, left: considered });
    state = moved.state;
    if (moved.event.type !== 'activity-entered') {
      const why = doubt(prospect, way, considered);
      return ended(turns, state, { end: 'completed', left: considered, ...(why !== undefined && { why }) });
    }
    const { activity, variables } = moved.event;
    const { answered } = stand;
    turns.push({
      at: activity,
      name: way.runnable.navigator.place(activity, state).name,
      node: parseInstanceId(activity)?.stepId ?? activity,
      considered,
      answered,
      sets: { ...stand.sets, ...variables },
    });
  }
  return ended(turns, state, { end: 'endless', why: `It takes more than ${turns.length} turns.`, left: [] });
}

function ended(
  turns: readonly Turn[],
  { variables }: SessionState,
  rest: Pick<Walk, 'end' | 'why' | 'left'>,
): Walk {
  return { turns, variables, ...rest };
}

/** The context comes with the first move, as from an agent. */
function moveFrom({ context = {} }: Way, { current }: SessionState): MoveCommand {
  return current === undefined ? { kind: 'move', variables: context } : { kind: 'move' };
}

/** Why a walk may have ended too early. */
function doubt({ ahead }: Prospect, { runnable }: Way, left: Walk['left']): string | undefined {
  const unset = runnable.kind === 'steps' ? left.flatMap(({ undecided }) => undecided) : undecidedOf(ahead);
  if (unset.length === 0) return undefined;
  return `More could come if these variables were set: ${[...new Set(unset)].join(', ')}.`;
}

/** Answers the checkpoints that the work of the current activity stops at, one after the other. */
function answerAll(
  way: Way,
  first: SessionState,
): (Pick<Turn, 'answered' | 'sets'> & { readonly state: SessionState }) | { readonly stop: string } {
  const answered: { checkpoint: string; option: string }[] = [];
  let sets: Readonly<Record<string, Json>> = {};
  let state = first;
  while (answered.length < maxAnswers) {
    const gate = nextGate(way, state);
    if (gate === undefined) return { state, answered, sets };
    const option = optionFor(way, state, gate);
    const yielded = carryOut(way, state, { kind: 'yield', checkpointId: gate.id });
    if ('stop' in yielded) return yielded;
    const mode = { kind: 'option', option } as const;
    const done = carryOut(way, yielded.state, { kind: 'answer', mode, by: 'human' });
    if ('stop' in done) return done;
    ({ state } = done);
    answered.push({ checkpoint: gate.id, option });
    if ('variables' in done.event) sets = { ...sets, ...done.event.variables };
  }
  return { stop: `More than ${maxAnswers} answers do not lead on from '${state.current ?? ''}'.` };
}

function nextGate({ runnable }: Way, state: SessionState): Gate | undefined {
  const { work } = consider(state, { kind: 'move' }, runnable.navigator);
  return work && openCheckpoints(state, work.place, work.account)[0];
}

function optionFor({ answers = {} }: Way, { current = '' }: SessionState, { id, options }: Gate): string {
  return answers[`${current}/${id}`] ?? answers[id] ?? options[0]?.id ?? '';
}

function carryOut({ runnable }: Way, before: SessionState, command: SessionCommand): Outcome {
  const decision = decide(before, command, {
    navigator: runnable.navigator,
    nowMs: Date.parse(at),
    minResponseMs: 0,
    gates: 'declared',
    judge: () => undefined,
  });
  if (!decision.ok) return { stop: decision.refusal.message };
  const { event } = decision;
  return { state: evolve(before, { at, event }), event };
}
