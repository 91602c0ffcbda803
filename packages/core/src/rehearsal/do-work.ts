import { judgeStep } from '../session-engine/judge-outputs.ts';
import type { Runnable } from '../session-engine/runnable.ts';
import type { Prospect } from '../session/prospect.ts';
import { consider } from '../session/prospect.ts';
import type { ManifestEntry } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Values } from '../session/variables.ts';
import type { DueOutput } from './outputs-due.ts';
import { outputsDue } from './outputs-due.ts';
import type { RefusedOutput } from './rehearsal.ts';
import type { Script } from './script.ts';
import { withItem } from '../session/loop-iterations.ts';

/** The outputs of an activity, each accepted in the end; or which one there was none for. */
export type Work = { readonly refused: readonly RefusedOutput[] } & (
  | { readonly manifest: readonly ManifestEntry[] }
  | { readonly stop: string }
);

/** Hands in what the test has for the current activity; an output that is refused is followed by the next one there is. */
export async function doWork(
  runnable: Runnable,
  state: SessionState,
  { script, variables }: { readonly script: Script; readonly variables: Values },
): Promise<Work> {
  const { work } = consider(state, { kind: 'move', variables }, runnable.navigator);
  if (work === undefined) return { refused: [], manifest: [] };
  const refused: RefusedOutput[] = [];
  const manifest: ManifestEntry[] = [];
  for (const due of outputsDue(work, script)) {
    const { id, otherwise } = due;
    let output = script.output(work.place.id, id) ?? otherwise;
    for (let issues = await issuesOf(due, output, work); output !== undefined && issues.length > 0;) {
      refused.push({ step: id, issues });
      output = script.anotherOutput(work.place.id, id);
      issues = await issuesOf(due, output, work);
    }
    if (output === undefined) return { refused, stop: lacking(id, refused) };
    manifest.push({ step_id: id, output });
  }
  return { refused, manifest };
}

async function issuesOf(
  { step, item }: DueOutput,
  output: string | undefined,
  { place, account }: NonNullable<Prospect['work']>,
): Promise<readonly string[]> {
  if (output === undefined) return [];
  const context = withItem({ ...place.context, ...account.values }, item);
  const verdict = await judgeStep(step, output, { context });
  return verdict?.issues ?? [];
}

function lacking(id: string, refused: readonly RefusedOutput[]): string {
  const last = refused.at(-1);
  return last?.step === id
    ? `The output of '${id}' is refused, and the test has no other: ${last.issues.join('; ')}.`
    : `The test has no output for '${id}', which has criteria.`;
}
