/** A loop and the iteration (from 0) a step stands in. */
export interface Round {
  readonly loopId: string;
  readonly iteration: number;
}

/** An instance id taken apart: the rounds from the outside in, then the step. */
export interface InstanceId {
  readonly rounds: readonly Round[];
  readonly stepId: string;
}

const roundPattern = /^([a-z0-9-]+)@(\d{1,6})$/;

/**
 * Takes apart `outer@0::inner@2::step`; a bare id has no rounds.
 *
 * @returns `undefined` when a part before the last is not `loop-id@iteration`
 */
export function parseInstanceId(text: string): InstanceId | undefined {
  const parts = text.split('::');
  const stepId = parts.pop() ?? '';
  const rounds: Round[] = [];
  for (const part of parts) {
    const [, loopId, iteration] = roundPattern.exec(part) ?? [];
    if (loopId === undefined) return undefined;
    rounds.push({ loopId, iteration: Number(iteration) });
  }
  return { rounds, stepId };
}

/** The prefix of every instance id inside one round: `prefix` is that of the enclosing round, or `''`. */
export function roundPrefix(prefix: string, { loopId, iteration }: Round): string {
  return `${prefix}${loopId}@${iteration}::`;
}
