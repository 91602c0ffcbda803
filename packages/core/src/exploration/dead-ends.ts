import type { OpenGate } from '../session/session-state.ts';
import type { ExplorationFinding } from './exploration.ts';
import { reasonOfStop, reasonToStay } from './passages.ts';
import type { Landscape } from './survey.ts';
import type { Site, Spot, Terrain } from './terrain.ts';
import type { Trap } from './traps.ts';
import { trapsIn } from './traps.ts';

/** Places from which no session comes to the end, whatever is done and answered there. */
export function deadEndsIn(terrain: Terrain, landscape: Landscape): readonly ExplorationFinding[] {
  const found = trapsIn(landscape).map((trap) => describeTrap(terrain, landscape, trap));
  // Many states stand at one place: what is the same of them is told once.
  const told = new Map(
    found.map((finding) => [`${finding.file ?? ''} ${finding.pointer} ${finding.code}`, finding]),
  );
  return [...told.values()];
}

function describeTrap(terrain: Terrain, { stands, next }: Landscape, trap: Trap): ExplorationFinding {
  const states = trap.flatMap((number) => stands[number]?.state ?? []);
  const [only] = states;
  if (only !== undefined && trap.every((number) => next[number]?.length === 0)) {
    return stuck(siteAt(terrain, only.current), reasonOfStop(terrain.navigator, only));
  }
  const waiting = states.find(({ gate }) => gate !== undefined)?.gate;
  const round = [...new Set(states.flatMap(({ current }) => current ?? []))];
  // A checkpoint that may be asked again and again holds nobody.
  const reasons = states.flatMap((state) => reasonToStay(terrain.navigator, state) ?? []);
  if (round.length === 1 && reasons[0] !== undefined) return stuck(siteAt(terrain, round[0]), reasons[0]);
  return waiting === undefined
    ? endless(siteAt(terrain, round[0]), round)
    : impassable(gateAt(terrain, waiting), siteAt(terrain, waiting.activity).label);
}

function gateAt(terrain: Terrain, { activity, checkpoint }: OpenGate): Spot & { readonly id: string } {
  const site = siteAt(terrain, activity);
  const answer = terrain.branches.find(
    (branch) => branch.gate?.id === checkpoint && branch.site === activity,
  );
  return answer?.gate ?? { ...site, id: checkpoint };
}

const wholeDocument: Pick<Site, 'label'> & Spot = { label: 'the start', pointer: '' };

function siteAt({ sites, siteOf }: Terrain, activity: string | undefined): typeof wholeDocument {
  const id = activity === undefined ? undefined : siteOf(activity);
  return sites.find((site) => site.id === id) ?? wholeDocument;
}

function placeOf({ file, pointer }: Spot): Pick<ExplorationFinding, 'file' | 'pointer' | 'severity'> {
  return { severity: 'warning', pointer, ...(file === undefined ? {} : { file }) };
}

function stuck({ label, ...spot }: typeof wholeDocument, reason: string): ExplorationFinding {
  return {
    ...placeOf(spot),
    code: 'stuck',
    message: `A session can't go on from ${label}: ${reason}`,
    suggestion: 'Add a way on, or let something before it set what is missing',
  };
}

function endless({ label, ...spot }: typeof wholeDocument, round: readonly string[]): ExplorationFinding {
  return {
    ...placeOf(spot),
    code: 'endless',
    message: `From ${label} no session comes to an end: it goes round ${round.join(', ')}`,
    suggestion: 'Add a way out of the round',
  };
}

function impassable({ id, ...spot }: ReturnType<typeof gateAt>, label: string): ExplorationFinding {
  return {
    ...placeOf(spot),
    code: 'impassable-gate',
    message: `Nobody gets past checkpoint '${id}' of ${label}: every answer leads back to it`,
    suggestion: 'Let an answer lead on',
  };
}
