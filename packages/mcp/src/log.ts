/** One line of the log: what happened, and facts that name no output, token or path. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  event: string,
  facts?: Readonly<Record<string, unknown>>,
) => void;

/** A log of JSON lines, each written by `write`. */
export function createLog(write: (line: string) => void, now: () => Date = () => new Date()): Log {
  return (level, event, facts = {}) => {
    write(`${JSON.stringify({ time: now().toISOString(), level, event, ...facts })}\n`);
  };
}

/** The facts of a failure that may be logged. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { kind: typeof error };
  return { kind: error.name, message: error.message, stack: error.stack };
}
