import type { Evidence, SessionOutput } from '../contract.ts';

/** What is known about the work before a checkpoint: the ids of its evidence, and the number of outputs. */
interface Proof {
  readonly proved: readonly string[];
  /** It failed, is missing, is too weak, or may no longer hold. */
  readonly notProved: readonly string[];
  /** Nothing but the agent vouches for it. */
  readonly claimed: readonly string[];
  readonly outputs: number;
}

/** Tells what the server proved from what only the agent says. Every output is a claim of the agent. */
export function proofOf({ collected, outputs }: Evidence): Proof {
  const idsOf = (matches: (status: Evidence['collected'][number]['status']) => boolean): readonly string[] =>
    collected.filter(({ status }) => matches(status)).map(({ id }) => id);
  const isClaimed = (status: string): boolean => status === 'claimed' || status === 'not-configured';
  return {
    proved: idsOf((status) => status === 'passed'),
    notProved: idsOf((status) => status !== 'passed' && !isClaimed(status)),
    claimed: idsOf(isClaimed),
    outputs: latestOutputs(outputs).filter(({ output }) => output !== '').length,
  };
}

/** Returns the latest output of each step, from outputs that are sorted newest first. */
export function latestOutputs(outputs: readonly SessionOutput[]): readonly SessionOutput[] {
  return outputs.filter((one, at) => outputs.findIndex((other) => stepKey(other) === stepKey(one)) === at);
}

export function stepKey({ activity, step }: SessionOutput): string {
  return `${activity} ${step}`;
}
