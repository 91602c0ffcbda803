import { exitCodes } from './exit-codes.ts';

const watched = new WeakSet<NodeJS.WriteStream>();

/**
 * Ends the process once a stream can't be written: quietly where its reader has read enough, else with a line on standard
 * error, because output that is lost must not look like success.
 */
export function endWithReader(stream: NodeJS.WriteStream, asJson = false): void {
  if (watched.has(stream)) return;
  watched.add(stream);
  stream.on('error', ({ code = 'UNKNOWN' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit();
    const message = `Standard output can't be written (${code}). Make room where it goes, or send it elsewhere.`;
    const text = asJson
      ? JSON.stringify({ error: { code: 'STORAGE', message } })
      : `workflowlookup: ${message} (STORAGE)`;
    // If standard error fails, there is nowhere left to report it.
    if (stream === process.stdout) process.stderr.write(`${text}\n`);
    process.exit(exitCodes.usage);
  });
}
