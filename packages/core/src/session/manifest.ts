import type { Context } from '@workflowlookup/conditions';
import type { Verdict } from '@workflowlookup/validation';
import { parseInstanceId } from '../instance-id.ts';
import type { Place, PlannedStep } from './navigator.ts';
import type { ManifestEntry } from './session-event.ts';

/** Judges an output by a step's criteria; `undefined` where the step has none or they can't be used. */
export type Judge = (step: PlannedStep, output: string, variables: Context) => Verdict | undefined;

/**
 * What is wrong with the manifest of an activity that is being left: steps missing, unexpected, out of order, without
 * an output or with one their criteria refuse.
 *
 * @see docs/sessions.md#manifests
 */
export function checkManifest(
  place: Place,
  manifest: readonly ManifestEntry[] | undefined,
  judging: { judge: Judge; variables: Context },
): readonly string[] {
  const required = place.steps.filter((step) => step.required);
  if (manifest === undefined) {
    if (required.length === 0) return [];
    return [
      `No step manifest was given for '${place.id}'; its steps are: ${list(required.map(({ id }) => id))}.`,
    ];
  }
  return [
    ...missing(required, manifest),
    ...unexpected(place, manifest),
    ...misordered(place, manifest),
    ...manifest.flatMap((entry) => judgeEntry(entry, place, judging)),
  ];
}

function missing(required: readonly PlannedStep[], manifest: readonly ManifestEntry[]): readonly string[] {
  const named = new Set(manifest.map(({ step_id: id }) => id));
  const absent = required.filter(({ id }) => !named.has(id)).map(({ id }) => id);
  return absent.length === 0 ? [] : [`Missing from the manifest: ${list(absent)}.`];
}

function unexpected(place: Place, manifest: readonly ManifestEntry[]): readonly string[] {
  const strangers = manifest
    .filter(({ step_id: id }) => find(place, id) === undefined)
    .map(({ step_id: id }) => id);
  return strangers.length === 0
    ? []
    : [`Unexpected in the manifest: ${list([...new Set(strangers)])} (not steps of '${place.id}').`];
}

/** Order counts among the steps of the activity, and among those of one round of a loop. */
function misordered(place: Place, manifest: readonly ManifestEntry[]): readonly string[] {
  const groups = new Map<string, number[]>();
  const found: string[] = [];
  for (const { step_id: id } of manifest) {
    const position = find(place, id);
    if (position === undefined) continue;
    const seen = groups.get(position.group) ?? [];
    const later = seen.find((rank) => rank > position.rank);
    if (later !== undefined)
      found.push(`Wrong order in the manifest: ${id} comes after ${position.siblings[later]?.id}.`);
    groups.set(position.group, [...seen, position.rank]);
  }
  return found;
}

function judgeEntry(
  { step_id: id, output }: ManifestEntry,
  place: Place,
  { judge, variables }: { judge: Judge; variables: Context },
): readonly string[] {
  if (output.trim() === '') return [`The output of '${id}' is empty.`];
  const position = find(place, id);
  const step = position?.siblings[position.rank];
  if (step?.criteria === undefined) return [];
  const verdict = judge(step, output, variables);
  return verdict === undefined || verdict.valid
    ? []
    : [`The output of '${id}' is not accepted: ${verdict.issues.join('; ')}.`];
}

interface Position {
  readonly group: string;
  readonly rank: number;
  readonly siblings: readonly PlannedStep[];
}

/** Where a manifest's id stands: among the steps, or in a round of a loop; bare loop steps share one round. */
function find(place: Place, id: string): Position | undefined {
  const own = place.steps.findIndex((step) => step.id === id || step.id.endsWith(`::${id}`));
  if (own >= 0) return { group: '', rank: own, siblings: place.steps };
  const parsed = parseInstanceId(id);
  const [round] = parsed?.rounds ?? [];
  for (const loop of place.loops) {
    if (parsed === undefined || (round !== undefined && round.loopId !== loop.id)) continue;
    const rank = loop.steps.findIndex((step) => step.id === parsed.stepId);
    // Without a round the same step may come again and again: each is its own round.
    if (rank >= 0)
      return {
        group: round === undefined ? `${loop.id}/${id}` : `${loop.id}@${round.iteration}`,
        rank,
        siblings: loop.steps,
      };
  }
  return undefined;
}

function list(ids: readonly string[]): string {
  return ids.join(', ');
}
