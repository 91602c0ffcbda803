import { lookUp, namesInCondition } from '@workflowlookup/conditions';
import type { Navigator, OpenCheckpoint } from '@workflowlookup/core/decisions';
import { evaluateMove, rootOf } from '@workflowlookup/core/decisions';
import type { ActivityWorkflow, FieldsOfStep } from '@workflowlookup/schema';
import { conditionsOf, groupBy } from '@workflowlookup/schema';
import type { ExplorationFinding } from './explore.ts';
import type { SearchResult } from './search-states.ts';
import { findings, labels } from '../messages.ts';
import { reasonOfStop, reasonToStay } from './search-states.ts';
import { labelOf, warning } from './state-graph.ts';
import type { StateTransition } from '../unstored-session.ts';
import type { Site, SourceLocation, StateGraph, VariableUsage, Mention } from './state-graph.ts';
import type { Domains } from './variable-values.ts';

/** Returns a finding for each site from which no session can reach the end, whatever agents do and people answer. */
export function deadEndsIn(stateGraph: StateGraph, search: SearchResult): readonly ExplorationFinding[] {
  const found = trapsIn(search).map((trap) => describeTrap(stateGraph, search, trap));
  // Many states have the same site and reason, which are reported once.
  const unique = new Map(
    found.map((finding) => [`${finding.file ?? ''} ${finding.pointer} ${finding.code}`, finding]),
  );
  return [...unique.values()];
}

function describeTrap(
  stateGraph: StateGraph,
  { states: all, next }: SearchResult,
  trap: Trap,
): ExplorationFinding {
  const states = trap.flatMap((number) => all[number]?.state ?? []);
  const [only] = states;
  if (only !== undefined && trap.every((number) => next[number]?.length === 0)) {
    const site = siteAt(stateGraph, only.current);
    return warning('stuck', site, findings.stuck(site.label, reasonOfStop(stateGraph.navigator, only)));
  }
  const waiting = states.find(({ gate: openCheckpoint }) => openCheckpoint !== undefined)?.gate;
  const cycle = [...new Set(states.flatMap(({ current }) => current ?? []))];
  // A checkpoint that may be asked repeatedly is not a dead end.
  const reasons = states.flatMap((state) => reasonToStay(stateGraph.navigator, state) ?? []);
  const site = siteAt(stateGraph, waiting?.activity ?? cycle[0]);
  if (cycle.length === 1 && reasons[0] !== undefined)
    return warning('stuck', site, findings.stuck(site.label, reasons[0]));
  if (waiting === undefined) return warning('endless', site, findings.endless(site.label, cycle));
  const checkpoint = checkpointAt(stateGraph, waiting);
  return warning('impassable-checkpoint', checkpoint, findings.impassable(checkpoint.id, site.label));
}

function checkpointAt(
  stateGraph: StateGraph,
  { activity, checkpoint }: OpenCheckpoint,
): SourceLocation & { readonly id: string } {
  const site = siteAt(stateGraph, activity);
  const answer = stateGraph.branches.find(
    (branch) => branch.checkpoint?.id === checkpoint && branch.site === activity,
  );
  return answer?.checkpoint ?? { ...site, id: checkpoint };
}

const wholeDocument: Pick<Site, 'label'> & SourceLocation = { label: labels.start, pointer: '' };

function siteAt({ sites, siteOf }: StateGraph, activity: string | undefined): typeof wholeDocument {
  const id = activity === undefined ? undefined : siteOf(activity);
  return sites.find((site) => site.id === id) ?? wholeDocument;
}

/** A group of states that lead only to each other, so that no session can leave them. */
type Trap = readonly number[];

/** Returns every trap of the graph. A single state without successors is one too. */
function trapsIn({ states, next }: SearchResult): readonly Trap[] {
  const before = reversed(next);
  const ends = states.flatMap(({ state }, number) => (state.status === 'completed' ? [number] : []));
  const safe = closure(ends, before);
  const explained = new Set(safe);
  const traps: Trap[] = [];
  for (const number of states.keys()) {
    if (explained.has(number)) continue;
    const trap = trapBehind(number, next, before);
    traps.push(trap);
    for (const led of closure(trap, before)) explained.add(led);
  }
  return traps;
}

/** Continues to states from which no path leads back, until there are none. */
function trapBehind(start: number, next: SearchResult['next'], before: readonly (readonly number[])[]): Trap {
  let number = start;
  for (;;) {
    const ahead = closure([number], next);
    const behind = closure([number], before);
    const further = [...ahead].find((other) => !behind.has(other));
    if (further === undefined) return [...ahead];
    number = further;
  }
}

function reversed(next: SearchResult['next']): readonly (readonly number[])[] {
  const before: number[][] = next.map(() => []);
  for (const [from, all] of next.entries()) for (const to of all) before[to]?.push(from);
  return before;
}

/** Returns the states that can be reached along the edges, including the first ones. */
function closure(from: Iterable<number>, edges: readonly (readonly number[])[]): ReadonlySet<number> {
  const reached = new Set(from);
  for (const number of reached) for (const to of edges[number] ?? []) reached.add(to);
  return reached;
}

/** Collects activities where none of the transitions can be taken, so that the session ends there unintentionally. */
export function createMissingTransitions(
  { activities }: Pick<ActivityWorkflow, 'activities'>,
  navigator: Navigator,
): {
  readonly add: (transition: StateTransition) => void;
  readonly findings: () => readonly ExplorationFinding[];
} {
  const parts = new Map(activities.map((part) => [part.id, part]));
  const found = new Map<string, ExplorationFinding>();
  return {
    findings: () => [...found.values()],
    add({ before, command, event }) {
      const { current } = before;
      if (event.type !== 'session-completed' || command.kind !== 'move' || current === undefined) return;
      const part = parts.get(current);
      const { transitions = [], decisions = [] } = part?.definition ?? {};
      if (part === undefined || found.has(current) || transitions.length + decisions.length === 0) return;
      const { transitions: open, here } = evaluateMove(before, command, navigator);
      if (open.length > 0) return;
      const names = new Set(
        [...conditionsOf(part.definition)]
          .filter(({ pointer }) => /^\/(decisions|transitions)\//.test(pointer))
          .flatMap(({ source }) => [...namesInCondition(source)]),
      );
      const values = [...names].map((name) => [name, lookUp(here.variables, name)] as const);
      const place = { file: part.file, pointer: `${part.pointer}/transitions` };
      const message = findings.missingTransition(current, values);
      found.set(current, warning('missing-transition', place, message));
    },
  };
}

/** Observes whether the variables in texts can be set when the texts are shown. */
export function createUnsetMentions(
  { usage, siteOf, sites }: StateGraph,
  setters: Setters,
): {
  readonly add: (transition: StateTransition, free: ReadonlySet<string>) => void;
  readonly findings: (reached: ReadonlySet<string>) => readonly ExplorationFinding[];
} {
  const shown = new Set<Mention>();
  const bySite = groupBy(usage.mentions, ({ site }) => site);
  return {
    add({ event, after }, free) {
      if (event.type !== 'activity-entered') return;
      const site = siteOf(event.activity);
      const roots = new Set([...free].map(rootOf));
      for (const mention of bySite.get(site) ?? []) {
        const { root } = mention;
        const isSet = (lookUp(after.variables, root) ?? null) !== null || roots.has(root);
        const mayBeSet = setters.isNeverSet(root) ? usage.hasTextsElsewhere : isSet;
        if (usage.local.has(root) || mayBeSet) shown.add(mention);
      }
    },
    findings: (reached) =>
      usage.mentions
        .filter((mention) => reached.has(mention.site) && !shown.has(mention))
        .map((mention) =>
          warning('unset-variable', mention, findings.unsetVariable(mention.root, labelOf(mention, sites))),
        ),
  };
}

/** Where the values of relevant variables can come from, as far as the workflow shows. */
export interface Setters {
  /** Names that the caller may have set at the start of the session. */
  readonly given: ReadonlySet<string>;
  /** Returns the names that agents may set at a site. */
  at(site: string): ReadonlySet<string>;
  /**
   * Returns whether nothing sets a variable: no default, answer or action, no text that names it, no required value.
   */
  isNeverSet(root: string): boolean;
}

/**
 * Computes what can set each variable. While a text that names a variable is shown, the variable may be set to
 * anything. A variable may be set at the start if nothing else sets it, or if a text for the whole workflow names it.
 */
export function createSetters(
  { usage, sites }: Pick<StateGraph, 'usage' | 'sites'>,
  { names }: Pick<Domains, 'names'>,
): Setters {
  const roots = new Set([...names, ...usage.mentions.map(({ root }) => root)].map(rootOf));
  const naming = createNaming(roots, [...usage.texts, ...[...usage.textsAt.values()].flat()]);
  const everywhere = naming(usage.texts);
  const bySite = new Map([...usage.textsAt].map(([site, texts]) => [site, naming(texts)]));
  const named = new Set([...everywhere, ...[...bySite.values()].flatMap((found) => [...found])]);
  const outside = rootsFromOutside(usage);
  const assigned = new Set(usage.assigned.map(({ name }) => rootOf(name)));
  const known = [...names, ...[...roots].filter((root) => !names.has(root))];
  // Every iteration of a loop has another item.
  const isItem = (root: string): boolean => usage.local.has(root);
  const isGiven = (root: string): boolean =>
    isItem(root) || outside.has(root) || everywhere.has(root) || (!assigned.has(root) && !named.has(root));
  const places = new Map(
    sites.map(({ id }) => {
      const here = bySite.get(id) ?? new Set();
      const isSet = (root: string): boolean => isItem(root) || here.has(root) || everywhere.has(root);
      return [id, new Set(known.filter((name) => isSet(rootOf(name))))];
    }),
  );
  const defaults = new Set(usage.declared.flatMap(({ name, value }) => (value === undefined ? [] : [name])));
  return {
    given: new Set(known.filter((name) => isGiven(rootOf(name)))),
    at: (site) => places.get(site) ?? new Set(),
    isNeverSet: (root) =>
      ![outside, assigned, named, defaults, usage.local].some((setting) => setting.has(root)),
  };
}

/** Returns a text for each variable that the fields of a step set, worded as an author would write it. */
export function textOfSets({ sets = {} }: FieldsOfStep): readonly string[] {
  return Object.keys(sets).map((name) => `Set \`${name}\``);
}

function rootsFromOutside({ declared, switches }: VariableUsage): ReadonlySet<string> {
  return new Set([...declared.filter(({ required }) => required).map(({ name }) => name), ...switches]);
}

type Naming = (texts: Iterable<string>) => ReadonlySet<string>;

/** Words that authors use near a variable that should be set. */
const setting = /\b(set|sets|setting|put|puts|record|records|update|updates|store|stores|save|saves)\b/i;

/**
 * How clearly a text names a variable: 1 as a word, 2 in quotes, 3 as something to set, in quotes near a word like
 * "set" or before `=`.
 */
type Plainness = 1 | 2 | 3;

/**
 * Finds the variables that texts name, because authors use texts to say who sets them. For each variable only its
 * clearest form in the whole workflow counts: if one paragraph says "Set `size`", a paragraph with the plain word size
 * only reads it. Names in `{{markers}}` are read.
 */
function createNaming(roots: ReadonlySet<string>, allTexts: Iterable<string>): Naming {
  const plainest = namesIn(allTexts, roots);
  return (texts) => {
    const here = namesIn(texts, roots);
    return new Set([...here].flatMap(([root, how]) => (how === plainest.get(root) ? [root] : [])));
  };
}

function namesIn(texts: Iterable<string>, roots: ReadonlySet<string>): ReadonlyMap<string, Plainness> {
  const found = new Map<string, Plainness>();
  const add = (word: string, how: Plainness): void => {
    if (roots.has(word) && how > (found.get(word) ?? 0)) found.set(word, how);
  };
  for (const paragraph of paragraphsOf(texts)) {
    const isSetting = setting.test(paragraph);
    for (const word of wordsIn(paragraph)) add(word, 1);
    for (const word of quotedIn(paragraph)) add(word, isSetting ? 3 : 2);
    for (const [, name = ''] of paragraph.matchAll(/([A-Za-z_][\w-]*)\s*=(?![=>])/g)) add(name, 3);
  }
  return found;
}

function paragraphsOf(texts: Iterable<string>): readonly string[] {
  return [...texts].flatMap((text) => withoutMarkers(text).split(/\n\s*\n/));
}

function withoutMarkers(text: string): string {
  return text.replaceAll(/\{\{?\s*[\w.-]+\s*\}?\}/g, ' ');
}

function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`|(['"])([\w.-]+)\2/g)].flatMap(([, code = '', , word = '']) =>
    wordsIn(`${code} ${word}`),
  );
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[^\w-]+/);
}
