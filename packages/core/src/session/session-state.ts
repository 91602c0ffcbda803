import type { Enforcement, Json } from '@workflowlookup/schema';
import type {
  Answer,
  AnsweredItem,
  ParentLink,
  RunningLoop,
  SealedPolicy,
  SetBy,
  VariableOwner,
} from './session-event.ts';

/** A checkpoint that waits for its answer. */
export interface OpenGate {
  readonly checkpoint: string;
  readonly activity: string;
  /** ISO 8601. */
  readonly yieldedAt: string;
  /** The iteration of a loop that the question is about; empty for a step outside of loops. */
  readonly iteration?: string;
  /** Only a person may answer, whatever the definition says: it was so where the checkpoint was yielded. */
  readonly approver?: 'human';
  /** The revision that asked; absent in snapshots of older versions. */
  readonly revision?: number;
}

/** Who gave a variable its value. */
export interface VariableOrigin {
  /** `unknown`: the journal was written by a version that did not record it. */
  readonly by: SetBy | 'unknown';
  readonly revision: number;
  /** The checkpoint whose answer set it, and who answered. */
  readonly checkpoint?: string;
  readonly answeredBy?: 'agent' | 'human';
  readonly person?: string;
}

/** Variables that a question showed, and that no agent may change until the session has left what its answer opened. */
export interface FrozenQuestion {
  readonly checkpoint: string;
  readonly activity: string;
  readonly variables: readonly string[];
  /** In a loop, what the answers that still count are about. */
  readonly items?: readonly AnsweredItem[];
  /** The activity that the answer names as the next one. */
  readonly leadsTo?: string;
  /** The activity that the answer opened, once it is entered; later the one that the session has come to with the freeze. */
  readonly opened?: string;
  /** The activity that the answer opened, where `opened` is a later one. Absent in journals of older versions. */
  readonly openedFirst?: string;
}

/** A checkpoint, and the activity that asks it. */
export type AskedGate = Pick<OpenGate, 'checkpoint' | 'activity'>;

/** A checkpoint that was answered, and what the answer was about; outside of loops, and in older versions, without it. */
export interface DecidedGate extends AskedGate {
  readonly item?: AnsweredItem;
}

/** Activities that one answer took out. */
export interface GateSkip extends DecidedGate {
  readonly activities: readonly string[];
}

/** Who owns a variable, and in a loop what the answers about its items set, the last one at the end. */
export interface OwnedVariable extends VariableOwner {
  readonly byItem?: readonly { readonly item: AnsweredItem; readonly value: Json }[];
}

/** A checkpoint that was answered. */
export interface AnsweredGate {
  readonly checkpoint: string;
  readonly activity: string;
  readonly answer: Answer;
  /** The iteration of a loop that the question was about. */
  readonly iteration?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A session: the fold of its journal. */
export interface SessionState {
  readonly sid: string;
  /** Number of events. */
  readonly revision: number;
  readonly workflowId: string;
  readonly version: string;
  readonly digest: string;
  /** Name of the source that served the definition when the session started. */
  readonly source?: string;
  readonly enforcement: Enforcement;
  readonly parent?: ParentLink;
  readonly status: 'active' | 'completed';
  readonly outcome?: 'abandoned';
  readonly current?: string;
  /** The revision that entered the current activity; 1 before the first. */
  readonly since: number;
  /** Activities that were left, each once, in order. */
  readonly completed: readonly string[];
  /** How often each activity was entered. */
  readonly visits: Readonly<Record<string, number>>;
  /** The loops over activities that the session is in; absent before an event recorded them. */
  readonly loops?: readonly RunningLoop[];
  /** The revision that entered the outermost of them. */
  readonly loopsSince?: number;
  /** Activities that answers took out. */
  readonly skipped: readonly string[];
  /** Which answer took them out; absent before one did, and in snapshots of older versions. */
  readonly skippedBy?: readonly GateSkip[];
  readonly variables: Readonly<Record<string, Json>>;
  /** Names somebody set; the defaults of modes fill the others. */
  readonly assigned: readonly string[];
  /** Who set each variable, and at which revision. */
  readonly origins: Readonly<Record<string, VariableOrigin>>;
  /** Variables that belong to the checkpoint whose answer decided them. */
  readonly owners: Readonly<Record<string, OwnedVariable>>;
  readonly frozen: readonly FrozenQuestion[];
  /** Absent in journals of older versions: then the policy of the server that decides is all there is. */
  readonly policy?: SealedPolicy;
  /** Credentials that started, moved or stopped this session, or its parent before it: they speak for its agents. */
  readonly drivers: readonly string[];
  readonly gate?: OpenGate;
  /** Answers given since the current activity was entered, in order. */
  readonly answered: readonly AnsweredGate[];
  readonly lastAnswer?: AnsweredGate;
  /** The activity an answer asked for. */
  readonly expected?: string;
  /** The checkpoint of that answer; absent in snapshots of older versions. */
  readonly expectedBy?: DecidedGate;
  readonly lastCondition: string;
}
