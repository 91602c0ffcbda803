import type { Environment } from './command-line.ts';
import { endWithReader } from './end-with-reader.ts';
import { printable, withoutControls } from './plain-text.ts';
import type { Emphasis, Terminal } from './terminal.ts';

/** The terminal of this process. Its streams are opened when they are used: each takes a while. */
export function processTerminal(env: Environment): Terminal {
  const mayColour = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return {
    get isInteractive() {
      return process.stdin.isTTY && process.stderr.isTTY;
    },
    print: (text) => write(process.stdout, printable(text)),
    printExact: (text) => write(process.stdout, process.stdout.isTTY ? withoutControls(text) : text),
    warn: (text) => write(process.stderr, printable(text)),
    ask,
    paint: (emphasis, text) => (mayColour && process.stdout.isTTY ? styled(emphasis, text) : text),
    // Made when it is first read from: until then it would lose what comes.
    async *lines(signal) {
      const { createInterface } = await import('node:readline');
      yield* createInterface({ input: process.stdin, crlfDelay: Infinity, ...(signal && { signal }) });
    },
  };
}

/** What styles a text is loaded with the first that has a style. */
function styled(emphasis: Emphasis, text: string): string {
  return process.getBuiltinModule('node:util').styleText(emphasis, text, { validateStream: false });
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  endWithReader(stream);
  // What can't be written ends the process.
  return new Promise((resolve) => {
    stream.write(text, (error) => {
      if (error === undefined || error === null) resolve();
    });
  });
}

/** The end of the input, or Ctrl-C, is a person who leaves. */
async function ask(question: string): Promise<string | undefined> {
  const { createInterface } = await import('node:readline');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    reader.once('close', () => resolve(undefined));
    reader.once('SIGINT', () => {
      process.stderr.write('\n');
      reader.close();
    });
    reader.question(printable(question), (answer) => {
      resolve(answer.trim());
      reader.close();
    });
  });
}
