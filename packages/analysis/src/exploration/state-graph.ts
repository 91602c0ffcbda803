import type { Condition, Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { defined } from '@workflowlookup/schema';
import type { Navigator, SessionState } from '@workflowlookup/core/decisions';
import type { StateTransition } from '../unstored-session.ts';
import type { ExplorationCode, ExplorationFinding } from './explore.ts';
import { namesRead } from './variable-values.ts';
import type { Domains } from './variable-values.ts';

/** A place of a definition. */
export interface SourceLocation {
  /** Path in the folder of an activity workflow; absent in a step workflow, which is one document. */
  readonly file?: string;
  /** JSON pointer into the file. */
  readonly pointer: string;
}

/** A step, a loop or an activity of the definition, however often a session visits it. */
export interface Site extends SourceLocation {
  readonly id: string;
  readonly kind: 'activity' | 'loop' | 'step';
  /** As people read it: `step 'plan'`. */
  readonly label: string;
  /** The site that contains it: the loop around a step, the activity of a step. */
  readonly within?: string;
}

/**
 * Something with several possible results: a condition, which is true or false, or an answer, which is given or not.
 */
export interface Branch extends SourceLocation {
  readonly kind: 'condition' | 'option';
  /** As people read it: `size == "large"`. */
  readonly text: string;
  /** The variables a condition reads. */
  readonly names: readonly string[];
  /** The site it belongs to. */
  readonly site: string;
  /** The effect of the result: whether the site is reached, whether a loop continues or ends, or another effect. */
  readonly decides: 'end' | 'loop' | 'other' | 'site';
  /** Whether the condition reads a variable that an answer to a checkpoint of the same activity sets. */
  readonly readsAnswer?: boolean;
  /** The checkpoint an answer is to. */
  readonly checkpoint?: SourceLocation & { readonly id: string };
}

export interface BranchResult extends SourceLocation {
  readonly holds: boolean;
}

/** A loop that ought to end before its bound is reached. */
export interface BoundedLoop extends SourceLocation {
  readonly id: string;
  /** A site that is reached when the loop is entered. */
  readonly entrance: string;
  /** As its author wrote it. */
  readonly maxIterations: number;
}

/** A variable that a text shows to an agent. */
export interface Mention extends SourceLocation {
  readonly root: string;
  /** The site that shows the text. */
  readonly site: string;
}

export interface VariableUsage {
  readonly declared: readonly {
    readonly name: string;
    readonly type: string;
    readonly value?: Json;
    readonly required: boolean;
  }[];
  readonly conditions: readonly Condition[];
  /** forEach: the name of the list, and the name of its items. */
  readonly lists: readonly { readonly name: string; readonly item: string }[];
  /** for: names of numbers of iterations. */
  readonly counts: readonly string[];
  /** Names that loops set in each iteration. */
  readonly local: ReadonlySet<string>;
  /** The values that answers, actions and modes set. */
  readonly assigned: readonly { readonly name: string; readonly value: Json }[];
  /** Variables that the caller may set to true at the start of a session. */
  readonly switches: readonly string[];
  readonly mentions: readonly Mention[];
  /** Texts that apply everywhere; `textsAt` has the texts of each site. */
  readonly texts: readonly string[];
  readonly textsAt: ReadonlyMap<string, readonly string[]>;
  /** Whether agents also get texts of other workflows, which may ask to set variables. */
  readonly hasTextsElsewhere: boolean;
}

/** A state of a session, and the variables that may be anything in it. */
export interface SymbolicState {
  readonly state: SessionState;
  readonly free: ReadonlySet<string>;
}

/**
 * The part of a state that decides its future, apart from its open checkpoint. Two states with the same part have the
 * same future.
 */
export interface RelevantPart {
  /** The position and the work left; a JSON value. */
  readonly progress: unknown;
  /** Names that may still be read. */
  readonly names: ReadonlySet<string>;
}

/** The state graph of a workflow of either kind, and the sites and branches it covers. */
export interface StateGraph {
  readonly navigator: Navigator;
  readonly sites: readonly Site[];
  readonly branches: readonly Branch[];
  readonly boundedLoops: readonly BoundedLoop[];
  readonly usage: VariableUsage;
  siteOf(activity: string): string;
  /**
   * Returns the names that decide the next position, a name before those whose reading depends on it. Names that only
   * decide which steps are required or which rules apply are left out.
   */
  reads(symbolic: SymbolicState): Iterable<string>;
  /** Returns the part of a state that decides its future. `settersAt` returns the names a site may set. */
  relevantPartOf(symbolic: SymbolicState, settersAt: (site: string) => ReadonlySet<string>): RelevantPart;
  reachedBy(transition: StateTransition, outcomes: Outcomes): Iterable<string>;
  resultsOf(transition: StateTransition, outcomes: Outcomes): Iterable<BranchResult>;
  /** Returns the loops that a transition leaves before their bound is reached. */
  endedBy(transition: StateTransition): Iterable<BoundedLoop>;
}

/** Returns the possible results of a condition: one, or both. */
export type Outcomes = (condition: Condition, context: Context) => readonly boolean[];

export const certain: Outcomes = (condition, context) => [evaluate(condition, context)];

/** Most combinations of values that are tried for one condition. */
const maxTried = 512;

/** Returns the results of conditions with free variables: those for each of their values. */
export function possible({ valuesOf }: Domains, free: ReadonlySet<string>): Outcomes {
  return (condition, context) => {
    const names = [...new Set(namesRead([condition]))].filter((name) => free.has(name));
    let contexts: readonly Context[] = [context];
    for (const name of names) {
      contexts = contexts
        .flatMap((one) => valuesOf(name).map((value) => ({ ...one, [name]: value })))
        .slice(0, maxTried);
    }
    return [...new Set(contexts.map((one) => evaluate(condition, one)))];
  };
}

/** Returns a finding about a place of a definition. */
export function warning(
  code: ExplorationCode,
  { file, pointer }: SourceLocation,
  texts: Pick<ExplorationFinding, 'message' | 'suggestion'>,
): ExplorationFinding {
  return { severity: 'warning', code, pointer, ...defined({ file }), ...texts };
}

/** Returns the label of the site of a branch or a mention. */
export function labelOf({ site }: Pick<Branch, 'site'>, sites: readonly Site[]): string {
  return sites.find(({ id }) => id === site)?.label ?? site;
}
