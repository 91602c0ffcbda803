import type { Context } from '@workflowlookup/conditions';
import type { Verdict } from '@workflowlookup/validation';
import type { Account, StepInstance } from './account-for.ts';
import { withItem } from './loop-iterations.ts';
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
    if (by.account.due.every(({ isExcused }) => isExcused)) return [];
    return [`No step manifest was given for '${place.id}'; its steps are: ${listed(due)}.`];
  }
  const placed = manifest.map((entry, at) => ({ ...entry, instance: by.account.entries[at] }));
  const context = { ...place.context, ...by.account.values };
  const outOfLine = [...missing(by.account, placed), ...misordered(placed)];
  const isNone = placed.every(({ instance }) => instance === undefined);
  return [
    ...outOfLine,
    // A manifest without any of them has heard all of them as missing.
    ...(outOfLine.length === 0 || isNone ? [] : [`The steps due, in order: ${listed(due)}.`]),
    ...unexpected(place, placed),
    ...placed.flatMap((entry) => judgeEntry(entry, context, by.judge)),
  ];
}

interface PlacedEntry extends ManifestEntry {
  readonly instance: StepInstance | undefined;
}

function missing({ due }: Account, entries: readonly PlacedEntry[]): readonly string[] {
  const done = new Set(entries.map(({ instance }) => instance));
  const absent = due
    .filter((instance) => instance.isExcused !== true && !done.has(instance))
    .map(({ id }) => id);
  return absent.length === 0 ? [] : [`Missing from the manifest: ${listed(absent)}.`];
}

/** Most ids that a message lists: a loop may have any number. */
const maxListed = 60;

function listed(ids: readonly string[]): string {
  const more = ids.length - maxListed;
  return more > 0 ? `${ids.slice(0, maxListed).join(', ')} and ${more} more` : ids.join(', ');
}

function unexpected({ id: place }: Place, entries: readonly PlacedEntry[]): readonly string[] {
  const strangers = entries.filter(({ instance }) => instance === undefined).map(({ step_id: id }) => id);
  return strangers.length === 0
    ? []
    : [
        `Unexpected in the manifest: ${listed([...new Set(strangers)])} (no such steps or iterations in '${place}').`,
      ];
}

/** Order counts among the steps of the activity, and among those of one iteration of a loop. */
function misordered(entries: readonly PlacedEntry[]): readonly string[] {
  const latest = new Map<string, { readonly id: string; readonly rank: number }>();
  return entries.flatMap(({ step_id: id, instance }) => {
    if (instance === undefined) return [];
    const { group, rank } = instance;
    const before = latest.get(group);
    if (before === undefined || rank > before.rank) latest.set(group, { id, rank });
    if (before === undefined || rank > before.rank) return [];
    return rank === before.rank
      ? [`Named twice in the manifest: ${id}.`]
      : [`Wrong order in the manifest: ${id} comes after ${before.id}.`];
  });
}

function judgeEntry(
  { step_id: id, output, instance }: PlacedEntry,
  context: Context,
  judge: Judge,
): string[] {
  if (output.trim() === '') return [`The output of '${id}' is empty.`];
  if (instance?.step.criteria === undefined) return [];
  const verdict = judge(instance.step, output, withItem(context, instance.item));
  return verdict === undefined || verdict.valid
    ? []
    : [`The output of '${id}' is not accepted: ${verdict.issues.join('; ')}.`];
}
