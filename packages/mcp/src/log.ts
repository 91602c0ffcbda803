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

/**
 * Creates a log that writes the entries of one turn of the event loop together, because each write is a system call.
 * Warnings and errors are written at once, and everything is written before the process exits.
 */
export function createBufferedLog(write: (lines: string) => void): Log {
  let held = '';
  const flush = (): void => {
    const text = held;
    held = '';
    if (text !== '') write(text);
  };
  process.once('exit', flush);
  const log = createLog((line) => {
    if (held === '') setImmediate(flush);
    held += line;
  });
  return (level, event, facts) => {
    log(level, event, facts);
    if (level !== 'info') flush();
  };
}

/** Returns the facts about an error that may be logged. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { kind: typeof error };
  return { kind: error.name, message: error.message, stack: error.stack };
}
