// What `npm start` runs: the server over HTTP on this machine, and how to connect a client to it or to one over stdio.
// Arguments go to the server: `npm start -- --database postgres://user@host/database`.
import { fileURLToPath } from 'node:url';
import { clientConfigs } from '../apps/cli/dist/client-configs.js';
import { foreground } from './foreground.mjs';

const built = (app) => fileURLToPath(new URL(`../apps/${app}/dist/main.js`, import.meta.url));

const { child, ended } = foreground(['node', built('http'), ...process.argv.slice(2)], {
  stdio: ['inherit', 'pipe', 'inherit'],
});
let printed = '';
child.stdout.setEncoding('utf8').on('data', (text) => {
  if (printed === '' && text.startsWith('http://')) showHowToConnect(text.trim());
  // Anything else was asked for, such as --help.
  else process.stdout.write(text);
  printed += text;
});
process.exitCode = await ended;

function showHowToConnect(url) {
  print(`workflowlookup serves at ${url}. Ctrl-C ends it.`);
  print('\nConnect an agent to this server:');
  show(clientConfigs({ url }));
  print(
    '\nOr let the agent start a server of its own, over stdio. Without --state and --database both keep sessions in one place:',
  );
  show(clientConfigs({ command: process.execPath, args: [built('stdio')] }));
  print('\nThen ask your agent: "Follow the workflow bug-investigation for this report."\n');
}

function show(configs) {
  for (const { client, where, text } of configs) print(`\n${client} (${where}):\n\n${text}`);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
