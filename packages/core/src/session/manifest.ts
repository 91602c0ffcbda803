import type { Context } from '@workflowlookup/conditions';
import type { Verdict } from '@workflowlookup/validation';
import type { Account } from './account-for.ts';
import type { Position } from './manifest-position.ts';
import { itemOf, positionOf } from './manifest-position.ts';
import type { Place, PlannedStep } from './navigator.ts';
import type { ManifestEntry } from './session-event.ts';

/** Judges an output by a step's criteria; `undefined` where the step has none or they can't be used. */
export type Judge = (step: PlannedStep, output: string, variables: Context) => Verdict | undefined;

/**
 * What is wrong with the manifest of an activity that is being left: steps missing, unexpected, named twice, out of
 * order, without an output or with one their criteria refuse.
 *
 * @see docs/sessions.md#manifests
 */
export function checkManifest(
  place: Place,
  manifest: readonly ManifestEntry[] | undefined,
  by: { readonly account: Account; readonly judge: Judge },
): readonly string[] {
  const due = by.account.due.map(({ id }) => id);
  if (manifest === undefined) {
    if (due.length === 0) return [];
    return [`No step manifest was given for '${place.id}'; its steps are: ${due.join(', ')}.`];
  }
  const placed = manifest.map((entry) => ({ ...entry, position: positionOf(place, entry.step_id) }));
  const context = { ...place.context, ...by.account.values };
  const outOfLine = [...missing(by.account, placed), ...misordered(placed)];
  const isNone = placed.every(({ position }) => position === undefined);
  return [
    ...outOfLine,
    // A manifest without any of them has heard all of them as missing.
    ...(outOfLine.length === 0 || isNone ? [] : [`The steps due, in order: ${due.join(', ')}.`]),
    ...unexpected(place, placed),
    ...placed.flatMap((entry) => judgeEntry(entry, context, by.judge)),
  ];
}

interface PlacedEntry extends ManifestEntry {
  readonly position: Position | undefined;
}

function missing({ due }: Account, entries: readonly PlacedEntry[]): readonly string[] {
  const done = new Set(entries.map(({ position }) => position?.step));
  const absent = due.filter((step) => !done.has(step)).map(({ id }) => id);
  return absent.length === 0 ? [] : [`Missing from the manifest: ${absent.join(', ')}.`];
}

function unexpected({ id: place }: Place, entries: readonly PlacedEntry[]): readonly string[] {
  const strangers = entries.filter(({ position }) => position === undefined).map(({ step_id: id }) => id);
  return strangers.length === 0
    ? []
    : [`Unexpected in the manifest: ${[...new Set(strangers)].join(', ')} (no such steps in '${place}').`];
}

/** Order counts among the steps of the activity, and among those of one round of a loop. */
function misordered(entries: readonly PlacedEntry[]): readonly string[] {
  const latest = new Map<string, { readonly id: string; readonly rank: number }>();
  return entries.flatMap(({ step_id: id, position }) => {
    if (position?.group === undefined) return [];
    const { group, rank } = position;
    const before = latest.get(group);
    if (before === undefined || rank > before.rank) latest.set(group, { id, rank });
    if (before === undefined || rank > before.rank) return [];
    return rank === before.rank
      ? [`Named twice in the manifest: ${id}.`]
      : [`Wrong order in the manifest: ${id} comes after ${before.id}.`];
  });
}

function judgeEntry(
  { step_id: id, output, position }: PlacedEntry,
  context: Context,
  judge: Judge,
): string[] {
  if (output.trim() === '') return [`The output of '${id}' is empty.`];
  if (position?.step.criteria === undefined) return [];
  const verdict = judge(position.step, output, { ...context, ...itemOf(position) });
  return verdict === undefined || verdict.valid
    ? []
    : [`The output of '${id}' is not accepted: ${verdict.issues.join('; ')}.`];
}
