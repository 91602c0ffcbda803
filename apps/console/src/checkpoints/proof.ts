import type { Evidence, SessionOutput } from '../contract/index.ts';

/** What is known about the work before a checkpoint: its evidence, and the number of outputs. */
interface Proof {
  readonly proved: readonly ProvedEvidence[];
  /** It failed, is missing, is too weak, or may no longer hold. */
  readonly notProved: readonly ProvedEvidence[];
  /** Nothing but the agent vouches for it. */
  readonly claimed: readonly string[];
  readonly outputs: number;
}

/** Evidence by its id, and the command that the server ran for it, if there was one. */
export interface ProvedEvidence {
  readonly id: string;
  readonly command: string | undefined;
}

/** Tells what the server proved from what only the agent says. Every output is a claim of the agent. */
export function proofOf({ collected, outputs }: Evidence): Proof {
  const found = (matches: (status: Evidence['collected'][number]['status']) => boolean) =>
    collected
      .filter(({ status }) => matches(status))
      .map(({ id, recorded }): ProvedEvidence => ({ id, command: recorded?.result.command }));
  const isClaimed = (status: string): boolean => status === 'claimed' || status === 'not-configured';
  return {
    proved: found((status) => status === 'passed'),
    notProved: found((status) => status !== 'passed' && !isClaimed(status)),
    claimed: found(isClaimed).map(({ id }) => id),
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
