import type {
  Activity,
  ActivityPart,
  ActivityWorkflow,
  ActivityWorkflowDefinition,
  Enforcement,
  StepWorkflow,
} from '@workflowlookup/schema';
import { digestOfWorkflow } from '@workflowlookup/schema';
import { compileWorkflow } from '../../src/navigation/compile-workflow.ts';
import type { DecisionInputs, SessionCommand, Decision, Refusal } from '../../src/session/command.ts';
import { decide, startSession } from '../../src/session/decide.ts';
import type { TimedEvent } from '../../src/session/evolve.ts';
import { begin, evolve } from '../../src/session/evolve.ts';
import { graphNavigator } from '../../src/navigation/graph-navigator.ts';
import type { Navigator } from '../../src/navigation/navigator.ts';
import { sequenceNavigator } from '../../src/navigation/sequence-navigator.ts';
import type { ManifestEntry, SessionEvent } from '../../src/session/session-event.ts';
import type { SessionState } from '../../src/session/session-state.ts';
import type { SessionStart } from '../../src/session/decide.ts';

/** The properties of an activity that a test sets. */
export type ActivitySketch = Partial<Activity> & { readonly id: string };

/** Returns an activity workflow with the id `graph` and these activities. */
export function activityWorkflow(
  sketches: readonly ActivitySketch[],
  more: Partial<ActivityWorkflowDefinition> = {},
): ActivityWorkflow {
  const definition = { id: 'graph', version: '1.0.0', title: 'Graph', ...more };
  const made: ActivityWorkflow = {
    kind: 'activities',
    id: definition.id,
    digest: '',
    definition,
    text: '',
    format: 'yaml',
    activities: sketches.map((sketch, at): ActivityPart => ({
      id: sketch.id,
      index: String(at + 1).padStart(2, '0'),
      file: `activities/${sketch.id}.yaml`,
      format: 'yaml',
      text: '',
      pointer: '',
      definition: { version: '1.0.0', name: `Name of ${sketch.id}`, ...sketch },
    })),
    skills: [],
    resources: [],
    problems: [],
  };
  return { ...made, digest: digestOfWorkflow(made) };
}

/** Returns the navigator of an activity workflow. */
export function graph(
  sketches: readonly ActivitySketch[],
  more: Partial<ActivityWorkflowDefinition> = {},
): Navigator {
  return graphNavigator(activityWorkflow(sketches, more));
}

/** Returns the navigator of a step workflow. */
export function sequence(workflow: StepWorkflow): Navigator {
  return sequenceNavigator(compileWorkflow(workflow));
}

/** A session with a clock that the test sets. */
export interface Walk {
  readonly state: SessionState;
  readonly journal: readonly TimedEvent[];
  /** Milliseconds since the epoch. */
  nowMs: number;
  do(command: SessionCommand): Decision<SessionEvent>;
  move(
    activityId?: string,
    more?: Partial<Extract<SessionCommand, { kind: 'move' }>>,
  ): Decision<SessionEvent>;
  yield(checkpointId: string): Decision<SessionEvent>;
  /** Chooses an option after the minimum response time. */
  choose(option: string, by?: 'agent' | 'human'): Decision<SessionEvent>;
}

/** The options of a {@link Walk}. */
export type DryRunOptions = Partial<Omit<DecisionInputs, 'navigator' | 'nowMs'>> & SessionStart;

/** Starts a session and lets a test send commands to it. `from` is the state to continue from. */
export function walk(navigator: Navigator, options: DryRunOptions = {}, from?: SessionState): Walk {
  const { minResponseMs = 3000, gates = 'declared', judge = () => undefined, ...start } = options;
  const event = startSession(navigator, start);
  const journal: TimedEvent[] = [{ at: timeOf(0), event }];
  let state = from ?? begin('sid', { at: timeOf(0), event });
  const at: Walk = {
    get state() {
      return state;
    },
    journal,
    nowMs: 0,
    do(command) {
      const decision = decide(state, command, { navigator, nowMs: at.nowMs, minResponseMs, gates, judge });
      if (decision.ok) {
        const timed = { at: timeOf(at.nowMs), event: decision.event };
        journal.push(timed);
        state = evolve(state, timed);
      }
      return decision;
    },
    move: (activityId, more = {}) =>
      at.do({ kind: 'move', ...(activityId === undefined ? {} : { activityId }), ...more }),
    yield: (checkpointId) => at.do({ kind: 'yield', checkpointId }),
    choose(option, by = 'agent') {
      at.nowMs += minResponseMs;
      return at.do({ kind: 'answer', mode: { kind: 'option', option }, by });
    },
  };
  return at;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns a manifest that names these steps, each with an output. */
export function manifest(...ids: readonly string[]): { manifest: readonly ManifestEntry[] } {
  return { manifest: ids.map((id) => ({ step_id: id, output: `Did ${id}` })) };
}

/** Returns the warnings of a decision, or the message of its refusal. */
export function said(decision: Decision<SessionEvent>): readonly string[] {
  return decision.ok ? decision.warnings : [decision.message];
}

/** Returns the code of a refusal, or `undefined` if the command was carried out. */
export function codeOf(decision: Decision<SessionEvent>): string | undefined {
  return decision.ok ? undefined : decision.code;
}

/** Gives a command to a session. Returns the refusal, or `undefined` if the command was carried out. */
export function refusalOf(session: Walk, command: SessionCommand): Omit<Refusal, 'ok'> | undefined {
  const { ok, ...refusal } = session.do(command);
  return ok ? undefined : (refusal as Omit<Refusal, 'ok'>);
}

/** Both enforcements, for tests that run with each of them. */
export const enforcements: readonly Enforcement[] = ['advisory', 'strict'];
