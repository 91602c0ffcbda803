import type { Enforcement, Json } from '@workflowlookup/schema';
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
      readonly warnings: readonly string[];
    }
  | {
      readonly type: 'checkpoint-yielded';
      readonly activity: string;
      readonly checkpoint: string;
      /** Only a person may answer, because of how the server was started. */
      readonly approver?: 'human';
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
      readonly effect?: Effect;
    }
  | {
      readonly type: 'session-completed';
      /** The activity that was current. */
      readonly from?: string;
      readonly condition: string;
      readonly manifest: readonly ManifestEntry[];
      readonly variables: Readonly<Record<string, Json>>;
      readonly outcome?: 'abandoned';
      /** Who abandoned it. */
      readonly person?: string;
      readonly warnings: readonly string[];
    };
