import type { Domains } from './domains.ts';
import { rootOf } from '../root-of.ts';
import { createNaming } from './named-variables.ts';
import type { Census, Terrain } from './terrain.ts';

/** Who sets the variables that matter, as far as a workflow tells. */
export interface Setters {
  /** Names that whoever starts a session may have set. */
  readonly given: ReadonlySet<string>;
  /** Names that who works at a site may set. */
  at(site: string): ReadonlySet<string>;
  /** Whether nothing sets a variable: no default, no answer, no action, no text that names it, and no caller that has to. */
  isNeverSet(root: string): boolean;
}

/**
 * Reads who sets what. A variable that a text names may become anything while that text is worked on. One that nothing
 * sets, and one that a text for the whole workflow names, may come with the start.
 */
export function createSetters(
  { census, sites }: Pick<Terrain, 'census' | 'sites'>,
  { names }: Pick<Domains, 'names'>,
): Setters {
  const roots = new Set([...names, ...census.mentions.map(({ root }) => root)].map(rootOf));
  const naming = createNaming(roots, [...census.texts, ...[...census.textsAt.values()].flat()]);
  const everywhere = naming(census.texts);
  const bySite = new Map([...census.textsAt].map(([site, texts]) => [site, naming(texts)]));
  const named = new Set([...everywhere, ...[...bySite.values()].flatMap((found) => [...found])]);
  const outside = rootsFromOutside(census);
  const assigned = new Set(census.assigned.map(({ name }) => rootOf(name)));
  const known = [...names, ...[...roots].filter((root) => !names.has(root))];
  // Every round of a loop has another item.
  const isItem = (root: string): boolean => census.local.has(root);
  const isGiven = (root: string): boolean =>
    isItem(root) || outside.has(root) || everywhere.has(root) || (!assigned.has(root) && !named.has(root));
  const places = new Map(
    sites.map(({ id }) => {
      const here = bySite.get(id) ?? new Set();
      const isSet = (root: string): boolean => isItem(root) || here.has(root) || everywhere.has(root);
      return [id, new Set(known.filter((name) => isSet(rootOf(name))))];
    }),
  );
  const defaults = new Set(census.declared.flatMap(({ name, value }) => (value === undefined ? [] : [name])));
  return {
    given: new Set(known.filter((name) => isGiven(rootOf(name)))),
    at: (site) => places.get(site) ?? new Set(),
    isNeverSet: (root) =>
      ![outside, assigned, named, defaults, census.local].some((setting) => setting.has(root)),
  };
}

function rootsFromOutside({ declared, switches }: Census): ReadonlySet<string> {
  return new Set([...declared.filter(({ required }) => required).map(({ name }) => name), ...switches]);
}
