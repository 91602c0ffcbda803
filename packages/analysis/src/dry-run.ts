import { describeCondition, undecided } from '@workflowlookup/conditions';
import type { Json, JsonObject, Workflow } from '@workflowlookup/schema';
import { defined } from '@workflowlookup/schema';
import {
  evaluateMove,
  outcomeOf,
  stepIdOf,
  runnableOf,
  searchNext,
  undecidedOf,
  workAt,
  readProgress,
} from '@workflowlookup/core/decisions';
import type {
  FailedCondition,
  MoveCommand,
  EvaluatedMove,
  EvaluatedWork,
  Outcome,
  Runnable,
  RunnableSteps,
  SessionCheckpoint,
  CandidateTransition,
  NextStep,
  SessionState,
} from '@workflowlookup/core/decisions';
import type { ManifestEntry, SessionEvent } from '@workflowlookup/core/sessions';
import { exampleOf } from './example-output.ts';
import { stateGraphOf } from './exploration/explore.ts';
import { createDomains } from './exploration/variable-values.ts';
import { reasons, stops } from './messages.ts';
import { carryOut, startUnstored } from './unstored-session.ts';

/** The start of a dry run, and its answers to checkpoints. */
export interface DryRunOptions {
  /** Variables from the start. */
  readonly context?: Readonly<Record<string, Json>>;
  /** Option by checkpoint, or by `activity/checkpoint`; by default the first option. */
  readonly answers?: Readonly<Record<string, string>>;
  /**
   * Whether to submit valid outputs for steps with fields, and to assume values that agents would set where the
   * workflow would otherwise return to an earlier place or stop. Default false.
   */
  readonly assumes?: boolean;
  /**
   * Called before each turn. If it returns false, the walk ends like one with too many turns. By default it continues.
   */
  mayGoOn?(): boolean;
}

/** A step or activity that could have come next. */
export interface ConsideredTarget {
  /** Id of a step or activity, or `end`. */
  readonly target: string;
  /** `not-reached`: it was possible, but an earlier target was chosen. */
  readonly verdict: 'chosen' | 'skipped' | 'not-reached';
  /** The reason as a sentence. */
  readonly why: string;
  /** Unset variables that could have changed the result. */
  readonly undecided: readonly string[];
}

/** A checkpoint that was answered, and the option that was chosen. */
export interface AnsweredQuestion {
  readonly checkpoint: string;
  readonly option: string;
  /** The texts that people read for the checkpoint and the option. */
  readonly name: string;
  readonly label: string;
}

/** One step of a walk. */
export interface DryRunStep {
  /** The position after the turn: id of an activity, or of a step with its iteration. */
  readonly at: string;
  readonly name: string;
  /** The id of the activity, or of the step without its iteration. It is the `ref` of the node in a diagram. */
  readonly node: string;
  /** In the order they were tried. */
  readonly considered: readonly ConsideredTarget[];
  /** Checkpoints that were answered before it. */
  readonly answered: readonly AnsweredQuestion[];
  /** Values that the turn set. */
  readonly sets: Readonly<Record<string, Json>>;
  /** The values in `sets` that an agent would set, chosen so that the simulation gets further. Absent if it sets nothing. */
  readonly assumed?: Readonly<Record<string, Json>>;
  /** Warnings that an agent would get, such as one about a loop that ended at its limit. */
  readonly warnings: readonly string[];
}

/** The steps an agent would be given, in order. */
export interface DryRun {
  readonly turns: readonly DryRunStep[];
  readonly end: 'completed' | 'stuck' | 'endless';
  /** Why the run stopped early; absent if everything was done. */
  readonly why?: string;
  /** How the session ended. Absent if it did not end. */
  readonly outcome?: Outcome;
  /** Warnings that an agent would get at the end. */
  readonly warnings: readonly string[];
  /** The targets considered when it ended. */
  readonly left: readonly ConsideredTarget[];
  /** Checkpoints that were answered after the last turn. */
  readonly answered: DryRunStep['answered'];
  readonly variables: Readonly<Record<string, Json>>;
}

/** A walk with more turns than this counts as endless. */
const maxTurns = 500;
/** A walk with more answers within one activity than this counts as endless. */
const maxAnswers = 50;

/** A dry run in progress. */
export interface Simulation extends Pick<DryRunOptions, 'answers'> {
  readonly runnable: Runnable;
  /** The outputs to submit, by the id of the step. Default: `Done.` */
  readonly outputs?: Readonly<Record<string, string>>;
  /** Values that the agent sets with every move. */
  readonly given?: Values;
  /** If set, steps with fields get valid example outputs, and the variables in `keep` keep their values. */
  readonly examples?: { readonly keep: Values };
}

/**
 * Makes a dry run of a workflow: does all required steps and takes the first open transition, in a session that is not
 * stored, and reports why each step was chosen or skipped. All outputs count as accepted. Pure.
 *
 * @example
 * ```ts
 * const { turns, end } = dryRun(workflow, { answers: { publish: 'yes' } });
 * console.log(turns.map(({ at }) => at), end);
 * ```
 */
export function dryRun(workflow: Workflow, options: DryRunOptions = {}): DryRun {
  const { mayGoOn = () => true } = options;
  const simulation: Simulation = {
    ...options,
    runnable: runnableOf(workflow),
    ...(options.assumes === true && { examples: { keep: options.context ?? {} } }),
  };
  const turns: DryRunStep[] = [];
  let state = startState(simulation, options.context);
  const assume = options.assumes === true ? createAssumptions(workflow) : (): readonly Values[] => [];
  const events: { readonly event: SessionEvent }[] = [];
  while (turns.length < maxTurns && mayGoOn()) {
    const symbolic = answerAll(simulation, state);
    if ('stop' in symbolic) return ended(turns, state, { end: 'stuck', why: symbolic.stop });
    const { values, command } = nextCommand(simulation, symbolic.state, assume);
    const prospect = evaluateMove(symbolic.state, command, simulation.runnable.navigator);
    const considered = consideredFrom(simulation.runnable, prospect);
    const moved = carryOut(simulation.runnable.navigator, symbolic.state, command);
    const { answered, sets } = symbolic;
    if ('refusal' in moved) {
      const why = moved.refusal.message;
      return ended(turns, symbolic.state, { end: 'stuck', why, left: considered, answered });
    }
    state = moved.after;
    events.push(...symbolic.events, moved);
    const { event, warnings } = moved;
    if (event.type !== 'activity-entered') {
      const why = doubt(prospect, simulation, considered);
      const outcome = outcomeOf(workflow, state, events);
      return ended(turns, state, {
        end: 'completed',
        left: considered,
        answered,
        warnings,
        ...defined({ outcome, why }),
      });
    }
    const written = Object.assign({}, ...(prospect.work?.account.writes ?? [])) as Values;
    turns.push(
      turnOf(simulation, {
        state,
        event,
        considered,
        answered,
        sets,
        values: simulation.examples === undefined ? values : { ...written, ...values },
        warnings,
      }),
    );
  }
  return ended(turns, state, { end: 'endless', why: stops.tooManyTurns(turns.length) });
}

/** Returns the state of a session that has not entered anything yet. */
export function startState({ runnable: { navigator } }: Simulation, context: Values = {}): SessionState {
  const started = startUnstored(navigator);
  // These variables have values from the start, so the rules about which steps may set them do not apply.
  return { ...started, variables: { ...started.variables, ...context } };
}

/** Returns the turn in which a session entered an activity. */
export function turnOf(
  { runnable: { navigator } }: Simulation,
  {
    state,
    event: { activity, variables },
    values,
    sets,
    ...more
  }: Pick<DryRunStep, 'considered' | 'answered' | 'sets' | 'warnings'> & {
    readonly state: SessionState;
    readonly event: Extract<SessionEvent, { type: 'activity-entered' }>;
    /** The values that were assumed. */
    readonly values: Values;
  },
): DryRunStep {
  return {
    at: activity,
    name: navigator.place(activity, state).name,
    node: stepIdOf(activity),
    ...more,
    sets: { ...sets, ...variables },
    ...(Object.keys(values).length > 0 && { assumed: values }),
  };
}

function ended(
  turns: readonly DryRunStep[],
  { variables }: SessionState,
  rest: Pick<DryRun, 'end' | 'why' | 'outcome'> & Partial<Pick<DryRun, 'answered' | 'left' | 'warnings'>>,
): DryRun {
  return { turns, variables, left: [], answered: [], warnings: [], ...rest };
}

/** Returns a move that does all required steps and sets these values. */
function moveFrom(
  { runnable, outputs = {}, given = {}, examples }: Simulation,
  state: SessionState,
  values: Values,
  pick: number,
): MoveCommand {
  const all = { ...values, ...given };
  const plain: MoveCommand = { kind: 'move', ...(Object.keys(all).length > 0 && { variables: all }) };
  const { work } = evaluateMove(state, plain, runnable.navigator);
  if (work === undefined) return plain;
  const required = new Set(work.account.required.map(({ id }) => id));
  const made = examples === undefined ? {} : examplesFor(runnable, state, work, examples.keep, pick);
  const manifest = manifestOf(work, outputs, (id) => (required.has(id) ? (made[id] ?? 'Done.') : undefined));
  return { ...plain, manifest };
}

/** Returns valid outputs for the steps with fields, by their id. */
function examplesFor(
  runnable: Runnable,
  state: SessionState,
  work: EvaluatedWork,
  keep: Values,
  pick: number,
): Readonly<Record<string, string>> {
  const fills = new Map(work.account.open.map(({ id, step }) => [id, step.fills ?? {}]));
  const { steps } = workAt(runnable, state, { gates: 'declared' });
  return Object.fromEntries(
    steps.flatMap(({ id, outputSchema }) => {
      if (outputSchema === undefined) return [];
      const example = exampleOf(outputSchema, pick) as JsonObject;
      const kept = Object.entries(fills.get(id) ?? {}).flatMap(([variable, field]) => {
        const value = Object.hasOwn(keep, variable) ? keep[variable] : undefined;
        return value === undefined || value === null || value === '' ? [] : [[field, value] as const];
      });
      return [[id, JSON.stringify({ ...example, ...Object.fromEntries(kept) })]];
    }),
  );
}

/** Returns a manifest of outputs in the order of the steps. A step without an output gets the one that `otherwise` returns. */
export function manifestOf(
  { account }: EvaluatedWork,
  outputs: Readonly<Record<string, string>>,
  otherwise: (id: string) => string | undefined,
): readonly ManifestEntry[] {
  const ids = new Set([...account.open.map(({ id }) => id), ...Object.keys(outputs)]);
  return [...ids].flatMap((id) => {
    const output = outputs[id] ?? otherwise(id);
    return output === undefined ? [] : [{ step_id: id, output }];
  });
}

export type Values = Readonly<Record<string, Json>>;

/** Returns values that an agent could set, one at a time, then all of them. */
export type Assumptions = () => readonly Values[];

/** The most values to try at one place. */
const maxAssumptions = 120;

export function createAssumptions(workflow: Workflow): Assumptions {
  let known: readonly Values[] | undefined;
  return () => {
    if (known !== undefined) return known;
    const domains = createDomains(stateGraphOf(workflow).usage);
    const names = [...domains.names].filter((name) => !name.includes('.'));
    const single = names.flatMap((name) => domains.valuesOf(name).map((value) => ({ [name]: value })));
    const lists = names.flatMap((name): [string, Json][] => {
      const list = domains.valuesOf(name).find((value) => Array.isArray(value) && value.length > 0);
      return list === undefined ? [] : [[name, list]];
    });
    known = [...single, ...(lists.length > 1 ? [Object.fromEntries(lists)] : [])].slice(0, maxAssumptions);
    return known;
  };
}

interface Attempt {
  readonly values: Values;
  readonly command: MoveCommand;
}

/**
 * Returns the next move. If the plain move returns to an earlier place or is refused, tries values that an agent could
 * set. Prefers a move to a new place, then one to the end, then one to the place with the fewest visits.
 */
export function nextCommand(simulation: Simulation, state: SessionState, assume: Assumptions): Attempt {
  const { examples } = simulation;
  const plain = attempt(simulation, state, {}, 0);
  if (rankOf(plain.outcome, state) <= endRank) return plain;
  const all = [
    plain,
    ...(examples === undefined ? [] : otherPicks.map((pick) => attempt(simulation, state, {}, pick))),
    ...assume().map((values) => attempt(simulation, state, values, 0)),
  ];
  return all
    .map((one) => ({ one, rank: rankOf(one.outcome, state) }))
    .reduce((best, next) => (next.rank < best.rank ? next : best)).one;
}

/** The options to try after the first one. */
const otherPicks = [1, 2, 3] as const;

/** @param pick which of several options the agent chooses in outputs */
function attempt(
  simulation: Simulation,
  state: SessionState,
  values: Values,
  pick: number,
): Attempt & { readonly outcome: ReturnType<typeof carryOut> } {
  const command = moveFrom(simulation, state, values, pick);
  return { values, command, outcome: carryOut(simulation.runnable.navigator, state, command) };
}

const endRank = 1;

/**
 * Ranks a move; lower is better. A new place comes first, then the end, then other places by their number of visits. A
 * refused move comes last.
 */
function rankOf(outcome: ReturnType<typeof carryOut>, { visits }: SessionState): number {
  if ('refusal' in outcome) return Infinity;
  if (outcome.event.type !== 'activity-entered') return endRank;
  const before = visits[outcome.event.activity] ?? 0;
  return before === 0 ? 0 : endRank + before;
}

/** Returns why a walk may have ended too early: some variables are not set. */
function doubt({ ahead }: EvaluatedMove, { runnable }: Simulation, left: DryRun['left']): string | undefined {
  const unset =
    runnable.kind === 'steps' ? left.flatMap((simulation) => simulation.undecided) : undecidedOf(ahead);
  return unset.length === 0 ? undefined : stops.unsetVariables(new Set(unset));
}

/** Answers the checkpoints that the work of the current activity stops at, one after the other. */
function answerAll(
  simulation: Simulation,
  first: SessionState,
):
  | (Pick<DryRunStep, 'answered' | 'sets'> & {
      readonly state: SessionState;
      readonly events: readonly { readonly event: SessionEvent }[];
    })
  | { readonly stop: string } {
  const { navigator } = simulation.runnable;
  const answered: AnsweredQuestion[] = [];
  const events: { readonly event: SessionEvent }[] = [];
  let sets: Readonly<Record<string, Json>> = {};
  let state = first;
  while (answered.length < maxAnswers) {
    const checkpoint = nextCheckpoint(simulation, state);
    if (checkpoint === undefined) return { state, answered, sets, events };
    const option = optionFor(simulation, state, checkpoint);
    const yielded = carryOut(navigator, state, { kind: 'yield', checkpointId: checkpoint.id });
    if ('refusal' in yielded) return { stop: yielded.refusal.message };
    const mode = { kind: 'option', option } as const;
    const answer = { kind: 'answer', mode, by: 'human', note: 'Tried out.' } as const;
    const done = carryOut(navigator, yielded.after, answer);
    if ('refusal' in done) return { stop: done.refusal.message };
    state = done.after;
    events.push(done);
    answered.push(answerTo(checkpoint, option));
    if ('variables' in done.event) sets = { ...sets, ...done.event.variables };
  }
  return { stop: stops.tooManyAnswers(maxAnswers, state.current ?? '') };
}

export function answerTo(
  { id, name, options }: Pick<SessionCheckpoint, 'id' | 'name' | 'options'>,
  option: string,
): AnsweredQuestion {
  const label = options.find((one) => one.id === option)?.label ?? option;
  return { checkpoint: id, option, name, label };
}

export function nextCheckpoint({ runnable }: Simulation, state: SessionState): SessionCheckpoint | undefined {
  const { work } = evaluateMove(state, { kind: 'move' }, runnable.navigator);
  return work?.openCheckpoints[0];
}

function optionFor(
  { answers = {} }: Simulation,
  { current = '' }: SessionState,
  { id, options }: SessionCheckpoint,
): string {
  return answers[`${current}/${id}`] ?? answers[id] ?? options[0]?.id ?? '';
}

/** Returns the possible next targets in the order they are tried, each with the reason for its verdict. */
export function consideredFrom(runnable: Runnable, prospect: EvaluatedMove): readonly ConsideredTarget[] {
  return runnable.kind === 'steps' ? ofSteps(runnable, prospect) : ofActivities(prospect);
}

function ofSteps({ compiled }: RunnableSteps, { here }: EvaluatedMove): readonly ConsideredTarget[] {
  const { current, completed, variables } = here;
  const done = current === undefined ? completed : [...completed, current];
  const { next, failed } = searchNext(compiled, readProgress(compiled, done), variables);
  return [...failed.map(skippedStep), ...chosenStep(next)];
}

function skippedStep({ stepId, condition, context }: FailedCondition): ConsideredTarget {
  const unset = undecided(condition, context);
  const why = reasons.conditionFalse(describeCondition(condition));
  return { target: stepId, verdict: 'skipped', why, undecided: unset };
}

function chosenStep(next: NextStep): readonly ConsideredTarget[] {
  if (next.kind !== 'step') return [];
  const { instanceId: target, node, loop } = next;
  const why = reasons.nextStep(node.runs && describeCondition(node.runs), loop);
  return [{ target, verdict: 'chosen', why, undecided: [] }];
}

function ofActivities({ state: { expected }, ahead: { moves } }: EvaluatedMove): readonly ConsideredTarget[] {
  if (expected !== undefined) {
    const rest = moves.filter(({ target }) => target !== expected);
    return [
      { target: expected, verdict: 'chosen', why: reasons.answerLeadsHere, undecided: [] },
      ...rest.map((move) => judged(move, 'not-reached')),
    ];
  }
  const first = moves.findIndex(({ holds }) => holds);
  return moves.map((move, index) => {
    const open = index === first ? 'chosen' : 'not-reached';
    return judged(move, move.holds ? open : 'skipped');
  });
}

function judged(move: CandidateTransition, verdict: ConsideredTarget['verdict']): ConsideredTarget {
  const { target, undecided: unset } = move;
  const why = reasons.transition(move, verdict);
  return { target, verdict, why, undecided: verdict === 'skipped' ? unset : [] };
}
