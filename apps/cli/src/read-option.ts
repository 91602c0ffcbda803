import { InvalidArgumentError } from 'commander';

const statuses = ['active', 'blocked', 'completed'] as const;

/** How far a session is. */
export type Status = (typeof statuses)[number];

/** Adds a status to those that were given before. */
export function readStatus(text: string, before: readonly Status[] = []): readonly Status[] {
  const found = statuses.find((status) => status === text);
  if (found === undefined) throw new InvalidArgumentError(`It is one of ${statuses.join(', ')}.`);
  return [...before, found];
}

/** A number from 1 to 1,000. */
export function readCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= 1000) return count;
  throw new InvalidArgumentError('It is a number from 1 to 1000.');
}

/** A number from 0 to 100. */
export function readPercent(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw new InvalidArgumentError('It is a number from 0 to 100.');
}
