import type { Context } from '@workflowlookup/conditions';
import { hiddenCharactersIn } from '@workflowlookup/schema';
import type { Verdict } from '@workflowlookup/validation';
import { messages } from '../../messages/sessions.ts';
import type { ActivityPlan, PlannedStep } from '../../navigation/navigator.ts';
import type { Refusal } from '../command.ts';
import { refuse } from '../command.ts';
import { withItem } from './loop-iterations.ts';
import type { ManifestEntry } from '../session-event.ts';
import type { StepAccount, StepInstance } from './step-account.ts';
import { allSteps } from './step-account.ts';

/** Judges an output by a step's criteria. Returns `undefined` if the step has none or they are unusable. */
export type Judge = (step: PlannedStep, output: string, variables: Context) => Verdict | undefined;

/** Most characters that all outputs of one call may have. Storing more would keep other calls waiting. */
const maxOutputCharacters = 2_097_152;

/** Returns why outputs are too long to store, or `undefined`. */
export function refuseLongOutputs(manifest: readonly ManifestEntry[]): Refusal | undefined {
  const found = manifest.reduce((sum, { output }) => sum + output.length, 0);
  if (found <= maxOutputCharacters) return undefined;
  const message = messages.outputsTooLong(found, maxOutputCharacters);
  return refuse('INVALID_INPUT', message, { limit: maxOutputCharacters });
}

/**
 * Lists the problems of the manifest of the activity that is being left: steps that are missing, unexpected, named
 * twice, out of order, without an output or with an output that their criteria refuse.
 *
 * @see docs/sessions.md#manifests
 */
export function checkManifest(
  place: ActivityPlan,
  manifest: readonly ManifestEntry[] | undefined,
  account: StepAccount,
  judge: Judge,
): readonly string[] {
  const due = account.required.map(({ id }) => id);
  if (manifest === undefined)
    return account.required.every(({ isExcused }) => isExcused) ? [] : [messages.noManifest(place.id, due)];
  const placed = manifest.map((entry, at) => ({ ...entry, instance: account.entries[at] }));
  const context = { ...place.context, ...account.values };
  const outOfLine = [...missingSteps(account, placed), ...misordered(placed)];
  // If the manifest names no step of the activity, the messages above already list every required step.
  const isNone = placed.every(({ instance }) => instance === undefined);
  const last = isNone ? undefined : outOfLine.pop();
  return [
    ...outOfLine,
    ...(last === undefined ? [] : [`${last} ${messages.requiredSteps(due)}`]),
    ...unexpected(place, placed),
    ...placed.flatMap((entry) => judgeEntry(entry, context, judge)),
  ];
}

interface PlacedEntry extends ManifestEntry {
  readonly instance: StepInstance | undefined;
}

function missingSteps({ required }: StepAccount, entries: readonly PlacedEntry[]): readonly string[] {
  const done = new Set(entries.map(({ instance }) => instance));
  const absent = required
    .filter((instance) => instance.isExcused !== true && !done.has(instance))
    .map(({ id }) => id);
  return absent.length === 0 ? [] : [messages.missingSteps(absent)];
}

function unexpected({ id: place }: ActivityPlan, entries: readonly PlacedEntry[]): readonly string[] {
  const strangers = entries.filter(({ instance }) => instance === undefined).map(({ step_id: id }) => id);
  return strangers.length === 0 ? [] : [messages.unexpectedSteps([...new Set(strangers)], place)];
}

/**
 * Returns a problem for each step that is out of order. The order is checked among the steps of the activity, and among
 * those of each iteration of a loop.
 */
function misordered(entries: readonly PlacedEntry[]): readonly string[] {
  const latest = new Map<string, { readonly id: string; readonly rank: number }>();
  return entries.flatMap(({ step_id: id, instance }) => {
    if (instance === undefined) return [];
    const { group, rank } = instance;
    const before = latest.get(group);
    if (before === undefined || rank > before.rank) latest.set(group, { id, rank });
    if (before === undefined || rank > before.rank) return [];
    return rank === before.rank ? [messages.stepTwice(id)] : [messages.wrongOrder(id, before.id)];
  });
}

function judgeEntry(
  { step_id: id, output, instance, not_done: reason }: PlacedEntry,
  context: Context,
  judge: Judge,
): string[] {
  if (reason !== undefined) return [];
  if (output.trim() === '') return [messages.emptyOutput(id)];
  const { criteria, fields } = instance?.step ?? {};
  if (instance === undefined || (criteria === undefined && fields === undefined)) return [];
  const verdict = judge(instance.step, output, withItem(context, instance.item));
  return verdict === undefined || verdict.valid ? [] : [messages.outputRefused(id, verdict.issues)];
}

/** The most characters of the reason why a step was not done, and of all that a session keeps. */
const reasonChars = { one: 1000, all: 100_000 } as const;

/**
 * Returns a refusal if a manifest reports a step as not done that its author wants done, or without a reason that a
 * person can read. An advisory session refuses it too: everyone who decides later relies on what it says.
 */
export function refuseNotDone(
  { id: activity, steps, loops }: ActivityPlan,
  manifest: readonly ManifestEntry[],
  {
    entries,
    open,
    kept = [],
  }: Pick<StepAccount, 'entries' | 'open'> & { readonly kept?: readonly { reason: string }[] },
): Refusal | undefined {
  let left = kept.reduce((some, { reason }) => some - reason.length, reasonChars.all as number);
  for (const [at, { step_id: id, not_done: reason }] of manifest.entries()) {
    if (reason === undefined) continue;
    const refused = (message: string, more: Refusal['data'] = {}): Refusal =>
      refuse('MANIFEST_INVALID', message, { step_id: id, activity_id: activity, ...more });
    if (reason.trim() === '') return refused(messages.notDoneWithoutReason(id), { found: 'no reason' });
    left -= reason.length;
    const most = left < 0 ? Math.max(0, left + reason.length) : reasonChars.one;
    if (reason.length > Math.min(most, reasonChars.one) || hiddenCharactersIn(oneLine(reason)).length > 0)
      return refused(messages.notDoneReason(id, reason.length, most));
    const named = entries[at];
    if (named?.step.mayBeMissing === true) continue;
    const isIdle = named === undefined ? hasStep({ steps, loops }, id) : !open.includes(named);
    if (isIdle || named?.step.isOptional === true)
      return refused(messages.notDoneNotRequired(id, activity), { found: 'not required' });
    const allowed = allSteps({ steps, loops }).flatMap((step) =>
      step.mayBeMissing === true ? [step.id] : [],
    );
    return refused(messages.notDoneRefused(id, activity, allowed), { may_be_missing: allowed });
  }
  return undefined;
}

/** Returns whether an activity has a step of this id, also as an instance in a loop. */
function hasStep(place: Pick<ActivityPlan, 'steps' | 'loops'>, id: string): boolean {
  const name = id.split('::').at(-1);
  return allSteps(place).some((step) => step.id === name);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
