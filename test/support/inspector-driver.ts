// Runs the Inspector's command line once for each message, like its launcher does. The Inspector needs a newer Node than
// our oldest supported version.
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
