import type { Json, Workflow } from '@workflowlookup/schema';
import type { Verdict } from '@workflowlookup/validation';
import type {
  PageRequest,
  PruneRequest,
  Range,
  SessionCounts,
  SessionPage,
  SessionQuery,
  SessionRow,
} from '@workflowlookup/storage';
import type { Answered, Presented } from '../session-engine/sessions.ts';
import type { TraceEvent } from '../session-engine/trace.ts';
import type { AnswerMode } from '../session/command.ts';
import type {
  Answer,
  AnswerOrigin,
  DecidedQuestion,
  ParentLink,
  SessionEvent,
  SetBy,
} from '../session/session-event.ts';
import type { ChildLink } from '../session/status.ts';
import type { PaintedPicture } from '../picture/painted-picture.ts';
import type { PlannedActivity } from './planned-activities.ts';
import type { Anchors } from './anchors.ts';
import type { Prunable } from './prunable-sessions.ts';
import type { Sealed, SealRequest } from './seal-session.ts';
import type { Survey } from './survey-store.ts';
import type { OutputDraft, Task } from './task.ts';
import type { ExportCheck, ExportVerification } from './verify-export.ts';
import type { Verification } from './verify-session.ts';

/** A checkpoint that waits, as it is put to a person. */
export interface Question extends Presented {
  readonly sid: string;
  readonly workflowId: string;
  /** The revision at which it was asked: an answer names it, so that it answers this question and no later one. */
  readonly revision: number;
}

/** A person's answer. */
export interface HumanAnswer {
  readonly mode: AnswerMode;
  /** What the person has to say about it; kept with the answer. */
  readonly note?: string;
  /** `revision` of the question; left out, the question that waits now, or the last one where none waits. */
  readonly revision?: number;
}

/** What a person wrote to a session. */
export interface Written {
  readonly revision: number;
  /** When it was first written; ISO 8601. */
  readonly at: string;
}

/** A checkpoint that was reached, and what came of it. */
export interface GateWait {
  readonly checkpoint: string;
  readonly activity: string;
  /** The revision that stopped there. */
  readonly revision: number;
  /** ISO 8601. */
  readonly yieldedAt: string;
  /** Absent while it waits, and where the session was abandoned meanwhile. */
  readonly answered?: {
    /** ISO 8601. */
    readonly at: string;
    readonly answer: Answer;
    readonly by: 'agent' | 'human';
    readonly person?: string;
    readonly note?: string;
    /** How the answer came. */
    readonly origin?: AnswerOrigin;
    /** What was decided; `isAsAsked: false` where the question is no longer the one that was answered. */
    readonly decided?: DecidedQuestion & { readonly isAsAsked: boolean };
    /** The session was imported with it, and no key of this server sealed it: nobody is known to have decided it. */
    readonly isImported?: true;
  };
}

/** A move of a session. */
export interface StoryMove {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  /** The activity that was left; absent at the start. */
  readonly from?: string;
  /** The activity that was entered; absent for the end. */
  readonly to?: string;
  /** The steps that were accounted for, as the manifest names them. */
  readonly steps: readonly string[];
  /** Warnings that the agent ignored; absent if there were none. */
  readonly warnings?: readonly string[];
}

/** A value that a variable took after the start. */
export interface VariableChange {
  readonly name: string;
  /** Absent where it had none. */
  readonly from?: Json;
  readonly to: Json;
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  /** Who set it: `unknown` in journals of older versions. */
  readonly by: SetBy | 'unknown';
  /** The checkpoint whose answer set it, and the person who gave the answer. */
  readonly checkpoint?: string;
  readonly person?: string;
}

/** Who took part in a session. */
export interface Participant {
  readonly id: string;
  readonly kind: 'agent' | 'human';
  /** How many calls the trace has of them. */
  readonly calls: number;
}

/** Whether a journal is what was written: how long it is, or the first revision that is not what was sealed. */
export type Soundness =
  | { readonly ok: true; readonly events: number }
  | { readonly ok: false; readonly brokenAt: number };

/** What became of a session: planned against actual. Where its journal is broken, it ends before the break. */
export interface Story {
  readonly session: SessionRow;
  readonly title: string;
  readonly enforcement: 'advisory' | 'strict';
  readonly outcome?: 'abandoned';
  readonly parent?: ParentLink;
  readonly children: readonly ChildLink[];
  /** In the order of the definition. */
  readonly plan: readonly PlannedActivity[];
  /** In order; that the session was abandoned is none. */
  readonly moves: readonly StoryMove[];
  readonly gates: readonly GateWait[];
  /** Calls that were refused; oldest first. */
  readonly refusals: readonly TraceEvent[];
  readonly participants: readonly Participant[];
  readonly variables: readonly VariableChange[];
  readonly chain: Soundness;
}

/** A session in a line: what it is, where it stands and how far it is. */
export interface Glance {
  readonly session: SessionRow;
  readonly title: string;
  readonly outcome?: 'abandoned';
  /** The activity, or the step with its round; absent before the first. */
  readonly current?: string;
  /** The checkpoint it waits at. */
  readonly checkpoint?: string;
  /** Activities or steps that were left, and all there are. */
  readonly progress: { readonly done: number; readonly of: number };
}

/** What was handed in for a step. */
export interface HandedIn {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  /** The activity that was left with it. */
  readonly activity: string;
  /** As the agent named it. */
  readonly step: string;
  readonly output: string;
  /** By the criteria of the step, as it was judged then; absent where it has none. */
  readonly verdict?: Verdict;
}

/** What a session works with. */
export interface Contents {
  /** The definition it was started on. */
  readonly workflow: Workflow;
  readonly variables: Readonly<Record<string, Json>>;
  /** Oldest first; of more than 500 the newest. */
  readonly outputs: readonly HandedIn[];
}

/** An event of a journal as it is read. */
export interface RecordedEvent {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  readonly event: SessionEvent;
}

/**
 * What a person can do with the sessions of a store, without a token. What a person writes is decided, sealed and recorded
 * like the write of an agent, and carries their name. Every method throws `WorkflowError`: INVALID_PARAMS where there is
 * no such session, STORAGE where the database fails.
 *
 * @see docs/cli.md
 */
export interface Operator {
  /** The id of the one session whose id begins so. @throws INVALID_PARAMS where there is none, or several */
  resolve(prefix: string): Promise<string>;
  find(query: SessionQuery, page?: PageRequest): Promise<SessionPage>;
  /** How many sessions there are of each status; where there is no database yet, none is made. */
  counts(): Promise<SessionCounts>;
  /** A session as a list shows it; `undefined` where there is none. */
  glance(sid: string): Promise<Glance | undefined>;
  /** What a session works with and what was handed in, beside its story. */
  contents(sid: string): Promise<Contents>;
  /** @throws STATE where no checkpoint waits */
  present(sid: string): Promise<Question>;
  /**
   * Answers a checkpoint, also one that only a person may answer. The same answer again gives the same result.
   *
   * @throws SESSION_CONFLICT where somebody else answered; as `decide` refuses
   */
  respond(sid: string, response: HumanAnswer): Promise<Answered & Written>;
  /** Ends a session where it stands. @throws SESSION_CONFLICT, SESSION_COMPLETED */
  abandon(sid: string): Promise<Written>;
  /** What a session waits for, for a person who does its work. */
  task(sid: string): Promise<Task>;
  /** Judges an output before it is handed in. @throws STATE where the session has no such step now */
  judge(sid: string, draft: OutputDraft): Promise<Verdict>;
  story(sid: string): Promise<Story>;
  /** The workflow a session runs on, painted with what became of it. */
  picture(sid: string): Promise<PaintedPicture>;
  /** By revision. */
  events(sid: string, range?: Range): Promise<readonly RecordedEvent[]>;
  /** Checks everything that is kept of a session, and returns the problems. */
  verify(sid: string, anchors?: Anchors): Promise<Verification>;
  /** Finds what `verify` has to look at, from the tables of the database alone. */
  survey(): Promise<Survey>;
  /** Reads what `--anchor` of a server wrote, for `verify`. */
  anchors(lines: AsyncIterable<string> | Iterable<string>): Promise<Anchors>;
  /** Seals a session again. @throws STATE if more is wrong with it than a missing seal or a lost key */
  seal(sid: string, request?: SealRequest): Promise<Sealed>;
  /**
   * Lines that `import` takes; the last one has a seal only if `verify` finds no problem. A caller that has just verified
   * the session gives what was found, so that it is not done again. @throws STORAGE at a broken link
   */
  export(sid: string, verified?: Verification): AsyncIterable<string>;
  /** @throws VALIDATION for a broken export; STATE where the session is there already */
  import(lines: AsyncIterable<string>): Promise<SessionRow>;
  /** Checks exported lines as `import` does, and keeps nothing. @throws VALIDATION for a broken export */
  verifyExport(lines: AsyncIterable<string>, check?: ExportCheck): Promise<ExportVerification>;
  /** The sessions that `prune` would drop, and those that it leaves because they don't authenticate. */
  prunable(request: PruneRequest): Promise<Prunable>;
  /** Drops sessions and returns how many; never one that a session still running descends from. */
  prune(request: PruneRequest): Promise<number>;
}
