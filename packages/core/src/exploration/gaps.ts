import type { ExplorationFinding } from './exploration.ts';
import type { Record } from './record.ts';
import type { Branch, Circle, Site, Spot, Terrain } from './terrain.ts';

/** What no session reaches, and conditions and loops that never turn out otherwise; of a whole survey alone. */
export function gapsIn(terrain: Terrain, record: Record): readonly ExplorationFinding[] {
  const { branches, sites, circles } = terrain;
  const conditions = branches.filter(({ kind }) => kind === 'condition');
  const dead = conditions.filter((branch) => isOnly(false, record.turnsAt(branch)));
  // A variable that never changes makes one condition false and its opposite true: the false one tells it all.
  const fixed = new Set(dead.flatMap(({ names }) => names));
  const idle = conditions.filter(
    (branch) =>
      branch.decides === 'site' &&
      isOnly(true, record.turnsAt(branch)) &&
      !branch.names.every((name) => fixed.has(name)),
  );
  const endless = circles.filter(
    (circle) => record.reached.has(circle.entrance) && !record.ended.has(circle),
  );
  const untold = dead.filter((branch) => !endless.some((circle) => isEndOf(branch, circle)));
  return [
    ...alike(untold).map((same) => deadCondition(same, sites)),
    ...alike(idle).map((same) => idleCondition(same, sites)),
    ...sites.filter((site) => isLost(site, { record, dead })).map(unreachable),
    ...endless.map(endlessLoop),
  ];
}

/** Whether a condition is to end a loop; that it never does is told of the loop. */
function isEndOf({ decides, file, pointer }: Branch, circle: Circle): boolean {
  return decides === 'end' && file === circle.file && pointer.startsWith(`${circle.pointer}/`);
}

/** Branches that say the same, together. */
function alike(branches: readonly Branch[]): readonly Alike[] {
  const groups = new Map<string, Alike>();
  for (const branch of branches) {
    const known = groups.get(branch.text);
    groups.set(branch.text, known === undefined ? [branch] : [...known, branch]);
  }
  return [...groups.values()];
}

type Alike = readonly [Branch, ...Branch[]];

function isOnly(holds: boolean, turns: ReadonlySet<boolean>): boolean {
  return turns.size === 1 && turns.has(holds);
}

/** What is within something that is lost is not told apart, nor what a dead condition explains. */
function isLost(
  { id, within }: Site,
  { record, dead }: { readonly record: Record; readonly dead: readonly Branch[] },
): boolean {
  if (record.reached.has(id) || (within !== undefined && !record.reached.has(within))) return false;
  return !dead.some(({ site, decides }) => site === id && (decides === 'site' || decides === 'loop'));
}

function placeOf({ file, pointer }: Spot): Pick<ExplorationFinding, 'file' | 'pointer'> {
  return { pointer, ...(file === undefined ? {} : { file }) };
}

function deadCondition([branch, ...others]: Alike, sites: readonly Site[]): ExplorationFinding {
  const label = sites.find(({ id }) => id === branch.site)?.label ?? branch.site;
  const so = {
    site: `: ${label} is never reached`,
    loop: `: ${label} never goes round`,
    end: `: it ends no round of ${label}`,
    other: '',
  };
  return {
    ...placeOf(branch),
    severity: 'warning',
    code: 'never-holds',
    message: `'${branch.text}' never holds when it is looked at${so[branch.decides]}${elsewhere(others)}`,
    suggestion: 'Correct the condition or what sets its variables, or remove what it guards',
  };
}

function idleCondition([branch, ...others]: Alike, sites: readonly Site[]): ExplorationFinding {
  const label = sites.find(({ id }) => id === branch.site)?.label ?? branch.site;
  return {
    ...placeOf(branch),
    severity: 'warning',
    code: 'always-holds',
    message: `'${branch.text}' always holds when it is looked at: ${label} is never passed over${elsewhere(others)}`,
    suggestion: 'Correct the condition, or remove it',
  };
}

function elsewhere({ length }: readonly Branch[]): string {
  if (length === 0) return '';
  return length === 1 ? '; the same stands in one more place' : `; the same stands in ${length} more places`;
}

function unreachable({ label, ...spot }: Site): ExplorationFinding {
  return {
    ...placeOf(spot),
    severity: 'warning',
    code: 'unreachable',
    message: `No session reaches ${label}`,
    suggestion: 'Let a way lead there, or remove it',
  };
}

function endlessLoop({ id, ...spot }: Circle): ExplorationFinding {
  return {
    ...placeOf(spot),
    severity: 'warning',
    code: 'endless-loop',
    message: `Only its maxIterations ends loop '${id}': nothing in it changes what its condition reads`,
    suggestion: 'Let a step in the loop set a variable of its condition',
  };
}
