import type { Approver, Enforcement, Json } from '@workflowlookup/schema';
import type { Effect } from './navigator.ts';

/** A step an agent says it did, and what came of it. */
export interface ManifestEntry {
  readonly step_id: string;
  readonly output: string;
}

/** The session a child was started from. */
export interface ParentLink {
  readonly sid: string;
  readonly workflowId: string;
  /** Where the parent stood; absent where it had not entered one. */
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
  /** The defaults of a mode that came into force. */
  | 'mode';

/** The checkpoint whose answer decided a variable. From then on no agent writes it. */
export interface VariableOwner {
  readonly checkpoint: string;
  readonly activity: string;
  /** The answer left the value as it was: only another option of the checkpoint sets it. */
  readonly left?: true;
  /** The session the checkpoint belongs to, where a parent handed the variable on. */
  readonly sid?: string;
  /** Who could answer it there: `any` if an agent could. Absent in journals of older versions. */
  readonly approver?: Approver;
}

/** What the server that starts a session seals into it. Another server may be stricter, never laxer. */
export interface SealedPolicy {
  /** `human`: every checkpoint needs a person. */
  readonly gates: 'declared' | 'human';
  /** Whether an answer through the agent's client counts where only a person may answer. */
  readonly trustElicitation: boolean;
  /** Milliseconds a checkpoint must be open before an agent may choose an option. */
  readonly minResponseMs: number;
}

/** What an answer is worth as proof that a person gave it: passed on by the agent, asked by its client, or signed in. */
export type Assurance = 'agent' | 'client' | 'account';

/** How an answer reached the server. */
export interface AnswerOrigin {
  /** `tool`: a call of the agent's connection. `elicitation`: the client asked its user. */
  readonly channel: 'tool' | 'elicitation' | 'console' | 'command-line' | 'library';
  readonly principal?: string;
  /** The credential of the call: an id, never the secret. Absent where none is needed. */
  readonly credential?: string;
  readonly assurance: Assurance;
}

/** What was decided, so that the answer can't be moved to another question. */
export interface DecidedQuestion {
  /** Digest of the question as it was put: texts, options, the values in them, definition and revision. */
  readonly digest: string;
  /** The revision that asked. */
  readonly revision: number;
  /** Variables whose values the question showed. */
  readonly shown: readonly string[];
  /** Variables that the question named and that had no value. The field is absent if there are none, and in journals of older versions. */
  readonly unset?: readonly string[];
}

/** A loop over activities that a session is in. */
export interface RunningLoop {
  /** The activity that has the loop. */
  readonly activity: string;
  readonly loop: string;
  /** Rounds that began since the loop was entered. */
  readonly rounds: number;
}

/** What an answer in a loop is about. */
export interface AnsweredItem {
  /** The revision that entered the loop. */
  readonly entry: number;
  /** The revision that entered the activity. */
  readonly visit: number;
  /** The rounds of the loops over activities. */
  readonly round?: string;
  /** The iteration of a loop over steps. */
  readonly iteration?: string;
}

/** What is recorded of a session; each event moves its revision by one. */
export type SessionEvent =
  | {
      readonly type: 'session-started';
      readonly workflowId: string;
      readonly version: string;
      readonly digest: string;
      readonly enforcement: Enforcement;
      readonly variables: Readonly<Record<string, Json>>;
      /** Names among the variables that whoever started the session set; the others have their defaults. */
      readonly assigned: readonly string[];
      /** Who set each variable. Absent in journals of older versions, as are the fields below. */
      readonly setBy?: Readonly<Record<string, SetBy>>;
      /** Variables that belong to a checkpoint of the parent session. */
      readonly owned?: Readonly<Record<string, VariableOwner>>;
      readonly policy?: SealedPolicy;
      /** Name of the source that served the definition; absent where the store does not say. */
      readonly source?: string;
      /** The credential of the call. */
      readonly credential?: string;
      /** Credentials that worked on the parent session before. The field is absent if there are none, and in journals of older versions. */
      readonly drivers?: readonly string[];
      readonly parent?: ParentLink;
    }
  | {
      readonly type: 'activity-entered';
      readonly activity: string;
      /** The activity that was left. */
      readonly from?: string;
      /** The condition the caller named. */
      readonly condition: string;
      readonly manifest: readonly ManifestEntry[];
      /** Values set by the caller, by actions, and by modes that came into force. */
      readonly variables: Readonly<Record<string, Json>>;
      readonly setBy?: Readonly<Record<string, SetBy>>;
      readonly credential?: string;
      /** The workflow has no such transition from there: an advisory session was only warned. */
      readonly strayed?: true;
      /** The loops over activities that the session is in. Absent if the workflow has none, and in journals of older versions. */
      readonly loops?: readonly RunningLoop[];
      /**
       * Questions that the session may come back to without asking them: what they showed stays frozen. `opened` is the
       * activity that the answer opened. Absent if there are none, and in journals of older versions.
       */
      readonly kept?: readonly {
        readonly checkpoint: string;
        readonly activity: string;
        readonly opened?: string;
      }[];
      readonly warnings: readonly string[];
    }
  | {
      readonly type: 'checkpoint-yielded';
      readonly activity: string;
      readonly checkpoint: string;
      /** An earlier answer froze what the question showed. It stays frozen until the next answer. A dismissal is not an answer. */
      readonly again?: true;
      /**
       * The iteration of a loop that the question is about, such as `each@0`; empty for a step outside of loops. Absent
       * if no loop stops at the checkpoint, and in journals of older versions.
       */
      readonly iteration?: string;
      /** Only a person may answer, because of how the server was started. */
      readonly approver?: 'human';
      /** Values set by the caller, for the question to show, and by modes that came into force. */
      readonly variables?: Readonly<Record<string, Json>>;
      readonly setBy?: Readonly<Record<string, SetBy>>;
      readonly credential?: string;
    }
  | {
      readonly type: 'checkpoint-answered';
      readonly activity: string;
      readonly checkpoint: string;
      readonly answer: Answer;
      readonly by: 'agent' | 'human';
      /** Who answered, where it is known which person did. */
      readonly person?: string;
      /** What the person had to say about it. */
      readonly note?: string;
      /** Values set by the answer and by modes it brought into force. */
      readonly variables: Readonly<Record<string, Json>>;
      readonly setBy?: Readonly<Record<string, SetBy>>;
      readonly effect?: Effect;
      /** What the answer before to the same question did is undone: `variables` has what takes the place of its values. */
      readonly replaces?: true;
      /** What the answer is about. Absent outside of loops, and in journals of older versions. */
      readonly item?: AnsweredItem;
      /** A person named no next activity, so the one that an agent's answer named no longer counts. */
      readonly dropsNext?: true;
      /**
       * Variables that belong to the checkpoint beside those that the option sets: those of its other options, and the
       * defaults of modes that the answer turned on. The field is absent if there are none, and in journals of older versions.
       */
      readonly owns?: readonly string[];
      readonly origin?: AnswerOrigin;
      readonly decided?: DecidedQuestion;
    }
  | {
      readonly type: 'session-completed';
      /** The activity that was current. */
      readonly from?: string;
      readonly condition: string;
      readonly manifest: readonly ManifestEntry[];
      readonly variables: Readonly<Record<string, Json>>;
      readonly setBy?: Readonly<Record<string, SetBy>>;
      readonly credential?: string;
      readonly outcome?: 'abandoned';
      /** Who abandoned it. */
      readonly person?: string;
      readonly warnings: readonly string[];
    };
