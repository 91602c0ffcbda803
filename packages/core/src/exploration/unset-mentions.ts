import { lookUp } from '@workflowlookup/conditions';
import type { ExplorationFinding } from './exploration.ts';
import { rootOf } from '../root-of.ts';
import type { Setters } from './setters.ts';
import type { Mention, Passage, Terrain } from './terrain.ts';

/** Watches whether the variables that texts show can be set when they are shown. */
export function createUnsetMentions(
  { census, siteOf, sites }: Terrain,
  setters: Setters,
): {
  readonly add: (passage: Passage, free: ReadonlySet<string>) => void;
  readonly findings: (reached: ReadonlySet<string>) => readonly ExplorationFinding[];
} {
  const shown = new Set<Mention>();
  const bySite = new Map<string, Mention[]>();
  for (const mention of census.mentions) {
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
        const mayBeSet = setters.isNeverSet(root) ? census.hasTextsElsewhere : isSet;
        if (census.local.has(root) || mayBeSet) shown.add(mention);
      }
    },
    findings: (reached) =>
      census.mentions
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
