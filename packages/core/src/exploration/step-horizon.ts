import { evaluate } from '@workflowlookup/conditions';
import type { CompiledWorkflow, Node } from '../compile-workflow.ts';
import { parseInstanceId, roundPrefix } from '../instance-id.ts';
import type { Progress } from '../progress.ts';
import { readProgress } from '../progress.ts';
import { namesBefore, namesDuring, namesIn } from './step-reads.ts';
import { siteOfInstance } from './step-turns.ts';
import type { Stand, Terrain } from './terrain.ts';

/** A node of the outermost list, with what is in it. */
interface Reach {
  readonly node: Node;
  readonly names: ReadonlySet<string>;
  readonly sites: readonly string[];
}

/**
 * What may still come in a step workflow. A step that was passed over may come back as long as a variable of its
 * condition may change; once none of them can, it is as good as done.
 */
export function createStepHorizon(compiled: CompiledWorkflow): Terrain['horizonOf'] {
  const all = compiled.nodes.map((node): Reach => ({
    node,
    names: new Set([...namesBefore(node), ...namesDuring(node)]),
    sites: sitesIn(node),
  }));
  return (stand, settersAt) => {
    const { current, completed } = stand.state;
    const progress = readProgress(compiled, completed);
    const site = current === undefined ? undefined : siteOfInstance(current);
    const left = all.filter(({ node }) => !progress.done.has(node.step.id));
    const ahead = mayCome(left, stand, settersAt).concat(
      left.filter(({ sites }) => site !== undefined && sites.includes(site)),
    );
    return {
      progress: [current, [...new Set(ahead.map(({ node }) => node.step.id))], inRounds(progress)],
      names: new Set(ahead.flatMap(({ names }) => [...names])),
    };
  };
}

function sitesIn(node: Node): readonly string[] {
  return node.kind === 'step' ? [node.step.id] : node.body.flatMap(sitesIn);
}

/** Nodes whose condition holds, or may come to hold by what the others let somebody set. */
function mayCome(
  left: readonly Reach[],
  { state, free }: Stand,
  settersAt: (site: string) => ReadonlySet<string>,
): readonly Reach[] {
  const changing = new Set(free);
  const ahead = new Set<Reach>();
  for (let before = -1; before < ahead.size;) {
    before = ahead.size;
    for (const reach of left) {
      const { runs } = reach.node;
      const isOpen =
        runs === undefined ||
        namesIn(runs).some((name) => changing.has(name)) ||
        evaluate(runs, state.variables);
      if (ahead.has(reach) || !isOpen) continue;
      ahead.add(reach);
      for (const site of reach.sites) for (const name of settersAt(site)) changing.add(name);
    }
  }
  return left.filter((reach) => ahead.has(reach));
}

/** What is done in the rounds that loops are in: the rounds before them do not come again. */
function inRounds({ done, latest }: Progress): unknown {
  const inside = [...done].filter((id) => id.includes('@') && isInLatestRound(id, latest));
  const rounds = [...latest].map(([loop, round]) => `${loop}@${round}`);
  return [rounds.toSorted(), inside.toSorted()];
}

function isInLatestRound(id: string, latest: Progress['latest']): boolean {
  let prefix = '';
  return (parseInstanceId(id)?.rounds ?? []).every((round) => {
    const isLatest = latest.get(prefix + round.loopId) === round.iteration;
    prefix = roundPrefix(prefix, round);
    return isLatest;
  });
}
