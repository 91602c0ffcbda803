import { lookUp } from '@workflowlookup/conditions';
import { rootOf } from '@workflowlookup/core/decisions';
import type { FieldsOfStep } from '@workflowlookup/schema';
import type { ExplorationFinding } from './explore.ts';
import type { VariableUsage, Mention, StateTransition, StateGraph } from './state-graph.ts';
import type { Domains } from './variable-values.ts';

/** Observes whether the variables in texts can be set when the texts are shown. */
export function createUnsetMentions(
  { usage, siteOf, sites }: StateGraph,
  setters: Setters,
): {
  readonly add: (transition: StateTransition, free: ReadonlySet<string>) => void;
  readonly findings: (reached: ReadonlySet<string>) => readonly ExplorationFinding[];
} {
  const shown = new Set<Mention>();
  const bySite = new Map<string, Mention[]>();
  for (const mention of usage.mentions) {
    const known = bySite.get(mention.site);
    if (known === undefined) bySite.set(mention.site, [mention]);
    else known.push(mention);
  }
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
        .map((mention) => unset(mention, sites.find(({ id }) => id === mention.site)?.label ?? mention.site)),
  };
}

function unset({ root, file, pointer }: Mention, label: string): ExplorationFinding {
  return {
    severity: 'warning',
    code: 'unset-variable',
    pointer,
    ...(file === undefined ? {} : { file }),
    message: `'${root}' is never set when the text of ${label} shows it`,
    suggestion: `Let a step before it name '${root}' as to be set, give it a default, or declare it with required: true`,
  };
}

/** Who sets the relevant variables, as far as the workflow shows. */
export interface Setters {
  /** Names that whoever starts a session may have set. */
  readonly given: ReadonlySet<string>;
  /** Returns the names that agents may set at a site. */
  at(site: string): ReadonlySet<string>;
  /** Returns whether nothing sets a variable: no default, answer, action, text that names it, or caller that must. */
  isNeverSet(root: string): boolean;
}

/**
 * Computes who sets which variable. A variable that a text names may be set to anything while that text is shown. One
 * that nothing sets, and one that a text for the whole workflow names, may be set at the start.
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
  // Every round of a loop has another item.
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

/** Returns a text that names the variables which the fields of a step set, as an author's text would. */
export function textOfSets({ sets = {} }: FieldsOfStep): readonly string[] {
  return Object.keys(sets).map((name) => `Set \`${name}\``);
}

function rootsFromOutside({ declared, switches }: VariableUsage): ReadonlySet<string> {
  return new Set([...declared.filter(({ required }) => required).map(({ name }) => name), ...switches]);
}

type Naming = (texts: Iterable<string>) => ReadonlySet<string>;

/** Words that come with a variable that is to be set. */
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
