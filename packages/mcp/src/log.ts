/** Writes one line to the log. `facts` must not contain outputs, tokens or paths. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  event: string,
  facts?: Readonly<Record<string, unknown>>,
) => void;

/** Creates a log that passes each entry to `write` as one line of JSON. */
export function createLog(write: (line: string) => void, now: () => Date = () => new Date()): Log {
  return (level, event, facts = {}) => {
    write(`${JSON.stringify({ time: now().toISOString(), level, event, ...facts })}\n`);
  };
}

/** Returns the facts about an error that may be logged. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { kind: typeof error };
  return { kind: error.name, message: error.message, stack: error.stack };
}
