import type { OperationBundle } from '../library/operation-bundle.ts';
import { bundleText, unchangedLine } from '../library/operation-bundle.ts';
import type { OpenSession } from './open-session.ts';

/** The text of a bundle, or the line that names it where this agent has it; `full` sends it again. */
export async function deliverBundle(
  { vault: { store }, state: { sid }, agent }: OpenSession,
  bundle: OperationBundle,
  full: boolean,
): Promise<string> {
  const had = full ? [] : await store.delivered(sid, agent.number);
  if (had.includes(bundle.digest)) return unchangedLine(bundle.digest);
  await store.markDelivered(sid, agent.number, [bundle.digest]);
  return bundleText(bundle);
}
