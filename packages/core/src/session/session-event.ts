import type { Approver, Effect, Enforcement } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
import type { EvidenceResult } from '../evidence/collector.ts';
import type { Values } from './session-state.ts';

/** A step that an agent reports as done, with its output, or as not done. */
export interface ManifestEntry {
  readonly step_id: string;
  /** Empty for a step that was not done. */
  readonly output: string;
  /** Why the step was not done. Only a step with `may_be_missing` can be reported like this. */
  readonly not_done?: string;
}

/** The session a child was started from. */
export interface ParentLink {
  readonly sid: string;
  readonly workflowId: string;
  /** The parent's current activity; absent if it had not entered one. */
  readonly activity?: string;
  readonly version: string;
}

/** How a checkpoint was answered. */
export type Answer =
  | { readonly kind: 'option'; readonly option: string }
  | { readonly kind: 'auto-advance'; readonly option: string }
  | { readonly kind: 'dismissed' };

/** Who set a variable in an event. */
export type SetBy =
  /** The definition, before anybody set it. */
  | 'default'
  /** The trigger of the parent session's activity, which hands its variables on. */
  | 'trigger'
  /** An agent, in the call that wrote the event; also the item of a loop whose list an agent gave or chose by its answer. */
  | 'agent'
  /** The answer to a checkpoint. */
  | 'checkpoint'
  /** A `set` action of the definition, or the item of a loop whose list the workflow or a person's answer set. */
  | 'action'
  /** The defaults of a mode that became active. */
  | 'mode';

/** The checkpoint whose answer decided a variable. From then on no agent may write it. */
export interface VariableOwner {
  readonly checkpoint: string;
  readonly activity: string;
  /** The answer left the value as it was: only another option of the checkpoint sets it. */
  readonly left?: true;
  /** The session that the checkpoint belongs to, if a parent passed the variable on. */
  readonly sid?: string;
  /** Who could answer there: `any` if an agent could. Absent in journals of older versions. */
  readonly approver?: Approver;
}

/**
 * The policy that the server which starts a session seals into it. Another server may be stricter, never more
 * permissive.
 */
export interface SealedPolicy {
  /** `human`: every checkpoint needs a person. */
  readonly gates: 'declared' | 'human';
  /** Whether an answer through the agent's client counts if only a person may answer. */
  readonly trustElicitation: boolean;
  /** Milliseconds a checkpoint must be open before an agent may choose an option. */
  readonly minResponseMs: number;
  /** Default `ask`. Absent in journals of older versions. */
  readonly autonomy?: Autonomy;
}

/**
 * How strong an answer is as proof that a person gave it: passed on by the agent, asked by its client, or signed in.
 */
export type Assurance = 'agent' | 'client' | 'account';

/** Which checkpoints a session asks: all of them, or only those whose decision can't be undone. */
export type Autonomy = 'ask' | 'reversible';

/** How an answer reached the server. */
export interface AnswerOrigin {
  /**
   * `tool`: a call of the agent's connection. `elicitation`: the client asked its user. `http`: a request without an
   * agent, such as that of a command or of CI. `autonomy`: nobody was asked; the server took the default option.
   */
  readonly channel: 'tool' | 'elicitation' | 'console' | 'command-line' | 'http' | 'library' | 'autonomy';
  readonly principal?: string;
  /** The id of the call's credential, never the secret. Absent if none is needed. */
  readonly credential?: string;
  readonly assurance: Assurance;
}

/** The question that was decided, so that the answer can't be moved to another one. */
export interface DecidedQuestion {
  /** Digest of the question as it was put: texts, options, the values in them, definition and revision. */
  readonly digest: string;
  /** The revision that asked. */
  readonly revision: number;
  /** Variables whose values the question showed. */
  readonly shown: readonly string[];
  /** Unset variables that the question named. Absent if there are none, and in journals of older versions. */
  readonly unset?: readonly string[];
}

/** A loop over activities that a session is in. */
export interface RunningLoop {
  /** The activity that has the loop. */
  readonly activity: string;
  readonly loop: string;
  /** Iterations that began since the loop was entered. */
  readonly rounds: number;
}

/** The item that an answer in a loop is about. */
export interface AnsweredItem {
  /** The revision that entered the loop. */
  readonly entry: number;
  /** The revision that entered the activity. */
  readonly visit: number;
  /** The iterations of the loops over activities. */
  readonly round?: string;
  /** The iteration of a loop over steps. */
  readonly iteration?: string;
}

/** What the events of a move record: one to another activity, and one to the end. */
export interface LeavingEvent {
  /** The activity that was left. */
  readonly from?: string;
  /** The condition the caller named. */
  readonly condition: string;
  readonly manifest: readonly ManifestEntry[];
  /** Values set by the caller, by actions, and by modes that became active. */
  readonly variables: Values;
  readonly setBy?: Readonly<Record<string, SetBy>>;
  readonly credential?: string;
  readonly warnings: readonly string[];
}

/** The result of a collection. */
export interface CollectionResult {
  readonly activity: string;
  /** The id of the evidence. */
  readonly evidence: string;
  /** Digest of what the step asked for, with the variables filled in. */
  readonly demand: string;
  /** The working folder of the server that collected it. */
  readonly folder?: string;
  readonly result: EvidenceResult;
  /** Who brought it, if that was not an agent of the session. */
  readonly origin?: AnswerOrigin;
  readonly credential?: string;
}

/** Who parks or resumes a session; `hook` is a hook in the agent's client, because the agent stopped in the middle. */
export interface ParkedBy {
  readonly by: 'agent' | 'human' | 'hook';
  readonly person?: string;
  /** The credential of the call: its id. */
  readonly credential?: string;
}

/** The events of a session. Each one increases the revision by one. */
export type SessionEvent =
  | {
      readonly type: 'session-started';
      readonly workflowId: string;
      readonly version: string;
      readonly digest: string;
      readonly enforcement: Enforcement;
      readonly variables: Values;
      /** Names among the variables that whoever started the session set; the others have their defaults. */
      readonly assigned: readonly string[];
      /** Who set each variable. This field and the ones below are absent in journals of older versions. */
      readonly setBy?: Readonly<Record<string, SetBy>>;
      /** Variables that belong to a checkpoint of the parent session. */
      readonly owned?: Readonly<Record<string, VariableOwner>>;
      readonly policy?: SealedPolicy;
      /** Name of the source of the definition; absent if the store does not know it. */
      readonly source?: string;
      /** The credential of the call. */
      readonly credential?: string;
      /**
       * Credentials that worked on the parent session before. Absent if there are none, and in journals of older
       * versions.
       */
      readonly drivers?: readonly string[];
      readonly parent?: ParentLink;
      /** What the session is about, as the agent that started it says. Absent if it did not say. */
      readonly title?: string;
    }
  | ({
      readonly type: 'activity-entered';
      readonly activity: string;
      /** The move followed no open transition. The session is advisory, so the agent only got a warning. */
      readonly strayed?: true;
      /**
       * The loops over activities that the session is in. Absent if the workflow has none, and in journals of older
       * versions.
       */
      readonly loops?: readonly RunningLoop[];
      /**
       * Questions that the session may return to without asking them again: the values they showed stay frozen.
       * `opened` is the activity that the answer opened. Absent if there are none, and in journals of older versions.
       */
      readonly kept?: readonly {
        readonly checkpoint: string;
        readonly activity: string;
        readonly opened?: string;
      }[];
    } & LeavingEvent)
  | {
      readonly type: 'checkpoint-yielded';
      readonly activity: string;
      readonly checkpoint: string;
      /**
       * An earlier answer froze the values that the question showed. They stay frozen until the next answer. A
       * dismissal is not an answer.
       */
      readonly again?: true;
      /**
       * The iteration of a loop that the question is about, such as `each@0`; empty for a step outside of loops. Absent
       * if no loop stops at the checkpoint, and in journals of older versions.
       */
      readonly iteration?: string;
      /** Only a person may answer, because of how the server was started. */
      readonly approver?: 'human';
      /** Values set by the caller, for the question to show, and by modes that became active. */
      readonly variables?: Values;
      readonly setBy?: Readonly<Record<string, SetBy>>;
      readonly credential?: string;
    }
  | {
      readonly type: 'checkpoint-answered';
      readonly activity: string;
      readonly checkpoint: string;
      readonly answer: Answer;
      readonly by: 'agent' | 'human';
      /** The person who answered, if known. */
      readonly person?: string;
      /** A note from that person. */
      readonly note?: string;
      /** Values set by the answer and by the modes that it activated. */
      readonly variables: Values;
      readonly setBy?: Readonly<Record<string, SetBy>>;
      readonly effect?: Effect;
      /** The previous answer to the same question is undone; `variables` has the values that replace its own. */
      readonly replaces?: true;
      /** The item that the answer is about. Absent outside of loops, and in journals of older versions. */
      readonly item?: AnsweredItem;
      /** A person named no next activity, so the one that an agent's answer named no longer counts. */
      readonly dropsNext?: true;
      /**
       * Variables that belong to the checkpoint in addition to those that the option sets: those of its other options,
       * and the defaults of modes that the answer activated. Absent if there are none, and in journals of older
       * versions.
       */
      readonly owns?: readonly string[];
      readonly origin?: AnswerOrigin;
      readonly decided?: DecidedQuestion;
    }
  | ({ readonly type: 'evidence-collected' } & CollectionResult)
  | ({
      readonly type: 'session-completed';
      readonly outcome?: 'abandoned';
      /** The person who abandoned it. */
      readonly person?: string;
    } & LeavingEvent)
  | ({
      readonly type: 'session-parked';
      readonly reason: string;
      /** When it is listed as unfinished again; ISO 8601 in UTC. */
      readonly until?: string;
    } & ParkedBy)
  /** Only written if the session was parked. */
  | ({ readonly type: 'session-resumed' } & ParkedBy);

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isOneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);

/** Required, unless its name ends with `?`. Other fields are ignored: newer versions may add some. */
type Shape = Readonly<Record<string, Check>>;

function fits(shape: Shape, value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(shape).every(([spelled, check]) => {
    const name = spelled.replace('?', '');
    const isThere = Object.hasOwn(value, name) && value[name] !== undefined;
    return isThere ? check(value[name]) : spelled.endsWith('?');
  });
}

const shaped =
  (shape: Shape): Check =>
  (value) =>
    fits(shape, value);

const isListOf =
  (shape: Shape): Check =>
  (value) =>
    Array.isArray(value) && value.every(shaped(shape));

const isOutput: Check = (value) => isText(value) || fits({ blob: isText }, value);
const isManifest: Check = isListOf({ step_id: isText, output: isOutput, 'not_done?': isText });
const isRecordOfTexts: Check = (value) => isJsonObject(value) && Object.values(value).every(isText);
const isTrue: Check = (value) => value === true;
const isAnswer: Check = (value) =>
  fits({ kind: isOneOf('option', 'auto-advance'), option: isText }, value) ||
  fits({ kind: isOneOf('dismissed') }, value);

const leaving: Shape = {
  'from?': isText,
  condition: isText,
  manifest: isManifest,
  variables: isJsonObject,
  'setBy?': isRecordOfTexts,
  'credential?': isText,
  warnings: isTexts,
};

const parkedBy: Shape = { by: isOneOf('agent', 'human', 'hook'), 'person?': isText, 'credential?': isText };

const shapes: Readonly<Record<SessionEvent['type'], Shape>> = {
  'session-started': {
    workflowId: isText,
    version: isText,
    digest: isText,
    enforcement: isOneOf('advisory', 'strict'),
    variables: isJsonObject,
    assigned: isTexts,
    'setBy?': isRecordOfTexts,
    'owned?': isJsonObject,
    'policy?': shaped({
      gates: isOneOf('declared', 'human'),
      trustElicitation: (value) => typeof value === 'boolean',
      minResponseMs: isNumber,
      'autonomy?': isOneOf('ask', 'reversible'),
    }),
    'credential?': isText,
    'drivers?': isTexts,
    'title?': isText,
    'parent?': shaped({ sid: isText, workflowId: isText, version: isText, 'activity?': isText }),
  },
  'activity-entered': {
    ...leaving,
    activity: isText,
    'loops?': isListOf({ activity: isText, loop: isText, rounds: isNumber }),
    'kept?': isListOf({ activity: isText, checkpoint: isText, 'opened?': isText }),
  },
  'checkpoint-yielded': {
    activity: isText,
    checkpoint: isText,
    'again?': isTrue,
    'iteration?': isText,
    'approver?': isOneOf('human'),
    'variables?': isJsonObject,
    'setBy?': isRecordOfTexts,
    'credential?': isText,
  },
  'checkpoint-answered': {
    activity: isText,
    checkpoint: isText,
    answer: isAnswer,
    by: isOneOf('agent', 'human'),
    'person?': isText,
    'note?': isText,
    variables: isJsonObject,
    'effect?': shaped({
      'setVariable?': isJsonObject,
      'transitionTo?': isText,
      'skipActivities?': isTexts,
    }),
    'replaces?': isTrue,
    'dropsNext?': isTrue,
    'owns?': isTexts,
    'item?': shaped({ entry: isNumber, visit: isNumber, 'round?': isText, 'iteration?': isText }),
    'decided?': shaped({ digest: isText, shown: isTexts, 'unset?': isTexts }),
    'origin?': isJsonObject,
  },
  'evidence-collected': {
    activity: isText,
    evidence: isText,
    demand: isText,
    'folder?': isText,
    result: shaped({
      kind: isOneOf('check', 'git', 'changes', 'file'),
      level: isOneOf('claimed', 'observed', 'rerun', 'ci'),
      outcome: isOneOf('passed', 'failed', 'not-configured'),
      reasons: isTexts,
      'tree?': isText,
      'file?': shaped({ path: isText, digest: isText }),
      'commit?': isText,
      'repository?': isText,
      'check?': isText,
      'command?': isText,
      'exitCode?': isNumber,
      'durationMs?': isNumber,
      'tests?': shaped({ run: isNumber, failed: isNumber, skipped: isNumber, failures: isTexts }),
      'output?': shaped({ digest: isText, bytes: isNumber, tail: isText }),
      'by?': isText,
      'collectedAt?': isText,
    }),
    'origin?': isJsonObject,
    'credential?': isText,
  },
  'session-completed': { ...leaving, 'outcome?': isOneOf('abandoned'), 'person?': isText },
  'session-parked': { ...parkedBy, reason: isText, 'until?': isText },
  'session-resumed': parkedBy,
};

/** Returns whether a stored event has the fields of its type with valid values. Only such events can be replayed. */
export function isSessionEvent(type: string, data: unknown): data is SessionEvent {
  if (!Object.hasOwn(shapes, type) || !isJsonObject(data) || data['type'] !== type) return false;
  return fits(shapes[type as SessionEvent['type']], data);
}
