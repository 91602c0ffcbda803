import type { Condition } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import type { SessionCommand } from '../session/command.ts';
import type { Navigator } from '../session/navigator.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Outcomes } from './outcomes.ts';

/** A place of a definition. */
export interface Spot {
  /** Path in the folder of an activity workflow; absent in a step workflow, which is one document. */
  readonly file?: string;
  /** JSON pointer into the file. */
  readonly pointer: string;
}

/** A step or an activity, as its author counts them. */
export interface Site extends Spot {
  readonly id: string;
  readonly kind: 'activity' | 'loop' | 'step';
  /** As people read it: `step 'plan'`. */
  readonly label: string;
  /** The site it stands in: the loop around a step, the activity of a step. */
  readonly within?: string;
}

/** Something that can turn out in several ways: a condition, which holds or not, or an answer, which is given. */
export interface Branch extends Spot {
  readonly kind: 'condition' | 'option';
  /** As people read it: `size == "large"`. */
  readonly text: string;
  /** The variables a condition reads. */
  readonly names: readonly string[];
  /** The site it stands at. */
  readonly site: string;
  /** What it decides: whether the site is reached, whether a loop goes on or ends, or something else. */
  readonly decides: 'end' | 'loop' | 'other' | 'site';
  /** The checkpoint an answer is to. */
  readonly gate?: Spot & { readonly id: string };
}

/** A branch that was taken, or not. */
export interface Turn extends Spot {
  readonly holds: boolean;
}

/** A loop that ought to end before its bound is reached. */
export interface Circle extends Spot {
  readonly id: string;
  /** A site that is reached when the loop is entered. */
  readonly entrance: string;
  /** As its author wrote it. */
  readonly maxIterations: number;
}

/** A variable that a text shows to who works. */
export interface Mention extends Spot {
  readonly root: string;
  /** Where the text is handed out. */
  readonly site: string;
}

/** What a workflow says of its variables. */
export interface Census {
  readonly declared: readonly {
    readonly name: string;
    readonly type: string;
    readonly value?: Json;
    readonly required: boolean;
  }[];
  readonly conditions: readonly Condition[];
  /** forEach: the list by name, and what its items are called. */
  readonly lists: readonly { readonly name: string; readonly item: string }[];
  /** for: names of numbers of rounds. */
  readonly counts: readonly string[];
  /** Names that loops set in each round. */
  readonly local: ReadonlySet<string>;
  /** What answers, actions and modes set. */
  readonly assigned: readonly { readonly name: string; readonly value: Json }[];
  /** Variables that whoever starts a session may switch on. */
  readonly switches: readonly string[];
  readonly mentions: readonly Mention[];
  /** Texts that count everywhere, and those of each site. */
  readonly texts: readonly string[];
  readonly textsAt: ReadonlyMap<string, readonly string[]>;
  /** Whether who works is handed texts of other workflows too, which may ask to set variables. */
  readonly hasTextsElsewhere: boolean;
}

/** A step from one state to the next. */
export interface Passage {
  readonly before: SessionState;
  readonly command: SessionCommand;
  readonly event: SessionEvent;
  readonly after: SessionState;
}

/** A state of a session, and the variables that may be anything in it. */
export interface Stand {
  readonly state: SessionState;
  readonly free: ReadonlySet<string>;
}

/** What of a state decides what may come, beside the checkpoint it waits at: two states with the same have one future. */
export interface Horizon {
  /** Where it stands and what is left to do; a JSON value. */
  readonly progress: unknown;
  /** Names that may be looked at some time. */
  readonly names: ReadonlySet<string>;
}

/** What exploration knows of a workflow, whichever kind it is. */
export interface Terrain {
  readonly navigator: Navigator;
  readonly sites: readonly Site[];
  readonly branches: readonly Branch[];
  readonly circles: readonly Circle[];
  readonly census: Census;
  /** The site an activity of a session is. */
  siteOf(activity: string): string;
  /**
   * Names on which it depends where a session stands next; of those that hide others first. Names that decide no more
   * than which steps are due, or which rules count, are not among them.
   */
  reads(stand: Stand): Iterable<string>;
  /** What of a state decides what may come from it; `settersAt` says which names a site may set. */
  horizonOf(stand: Stand, settersAt: (site: string) => ReadonlySet<string>): Horizon;
  /** Sites that a passage has gone through. */
  reachedBy(passage: Passage, outcomes: Outcomes): Iterable<string>;
  turnsOf(passage: Passage, outcomes: Outcomes): Iterable<Turn>;
  /** Loops that a passage leaves before their bound is reached. */
  endedBy(passage: Passage): Iterable<Circle>;
}
