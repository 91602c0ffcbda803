import type { Workflow } from '@workflowlookup/schema';
import { namesRead } from './comparisons.ts';
import { coverageOf } from './coverage.ts';
import { deadEndsIn } from './dead-ends.ts';
import type { Domains } from './domains.ts';
import { createDomains } from './domains.ts';
import type { Exploration, ExplorationFinding } from './exploration.ts';
import { gapsIn } from './gaps.ts';
import { createMissingWays } from './missing-ways.ts';
import { possible } from './outcomes.ts';
import { createRecord } from './record.ts';
import { createSetters } from './setters.ts';
import { shortenActivityLoops, shortenLoops } from './shorten-loops.ts';
import { survey } from './survey.ts';
import type { Terrain } from './terrain.ts';
import { terrainOf } from './terrain-of.ts';
import { createUnsetMentions } from './unset-mentions.ts';

/** How far to explore. */
export interface ExploreOptions {
  /** States of a session that are looked at; default 50,000. */
  readonly maxStates?: number;
}

/**
 * Goes every way that a session on a workflow can go: with each answer to each checkpoint, and each value that its
 * conditions tell apart for the variables that who works may set. Loops are followed for a few rounds. Pure.
 *
 * @throws WorkflowError INVALID_WORKFLOW for what the checks of reading would have refused
 * @see docs/authoring.md#testing-a-workflow
 */
export function explore(workflow: Workflow, { maxStates = 50_000 }: ExploreOptions = {}): Exploration {
  const whole = terrainOf(workflow);
  const domains = createDomains(whole.census);
  const terrain = shortened(workflow, whole, domains);
  const setters = createSetters(terrain, domains);
  const record = createRecord(terrain);
  const mentions = createUnsetMentions(terrain, setters);
  const ways = createMissingWays(
    workflow.kind === 'activities' ? workflow : { activities: [] },
    terrain.navigator,
  );
  const landscape = survey(terrain, {
    domains,
    setters,
    maxStands: maxStates,
    onPassage(passage, free) {
      record.add(passage, possible(domains, free.before));
      ways.add(passage);
      mentions.add(passage, free.after);
    },
  });
  const limit = limitOf(landscape.isWhole, domains, maxStates);
  const absences = (): readonly ExplorationFinding[] => {
    const deadEnds = deadEndsIn(terrain, landscape);
    // What a dead end hides may be where a condition would have turned out otherwise.
    const isSure = ({ code }: ExplorationFinding): boolean =>
      code !== 'always-holds' || deadEnds.length === 0;
    return [...gapsIn(terrain, record).filter(isSure), ...deadEnds, ...mentions.findings(record.reached)];
  };
  return {
    findings: [...(limit === undefined ? absences() : []), ...ways.findings()],
    coverage: coverageOf(terrain, record),
    states: landscape.stands.length,
    ...(limit === undefined ? {} : { limit }),
  };
}

function shortened(workflow: Workflow, { census }: Terrain, domains: Domains): Terrain {
  const compared = new Set(namesRead(census.conditions.map((condition) => ({ condition }))));
  const lengths = census.lists.flatMap(({ name }) =>
    domains.valuesOf(name).map((value) => (Array.isArray(value) ? value.length : 0)),
  );
  const rounds = { compared, items: Math.max(1, ...lengths) };
  return terrainOf(
    workflow.kind === 'steps' ? shortenLoops(workflow, rounds) : shortenActivityLoops(workflow, rounds),
  );
}

function limitOf(isWhole: boolean, { unclear }: Domains, maxStates: number): string | undefined {
  if (!isWhole) return `The workflow has more than the ${maxStates} states that are looked at.`;
  const [name] = unclear;
  return name && `No text was found that fits the pattern '${name}' is compared with.`;
}
