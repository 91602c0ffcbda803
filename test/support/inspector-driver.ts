// Runs the Inspector's command line once for each message, as its launcher does; needs a Node newer than our oldest.
import { pathToFileURL } from 'node:url';

const [node = '', script = '', commandLine = ''] = process.argv;
const { runCli } = (await import(pathToFileURL(commandLine).href)) as {
  runCli(argv: readonly string[]): Promise<void>;
};

process.on('message', (args: readonly string[]) => {
  runCli([node, script, ...args]).then(
    () => process.send?.({}),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({});
