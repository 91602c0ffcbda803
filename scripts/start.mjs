// What `npm start` runs: the server over HTTP on this machine, and how to connect a client to it or to one over stdio.
// Arguments go to the server: `npm start -- --database postgres://user@host/database`.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clientConfigs } from '../apps/cli/dist/client-configs.js';
import { foreground } from './foreground.mjs';

const built = (app) => fileURLToPath(new URL(`../apps/${app}/dist/main.js`, import.meta.url));

const { child, ended } = foreground(['node', built('http'), ...process.argv.slice(2)], {
  stdio: ['inherit', 'pipe', 'inherit'],
});
let printed = '';
child.stdout.setEncoding('utf8').on('data', (text) => {
  const lines = `${printed}${text}`.split('\n');
  printed = lines.pop();
  for (const line of lines) show(line);
});
process.exitCode = await ended;

/** The addresses come first, one a line; anything else was asked for, such as --help. */
function show(line) {
  if (/^http:\/\/\S+\/mcp(?:\/[\w-]+)?$/.test(line)) showHowToConnect(line);
  else if (/^http:\/\/\S+\/console\/\S*$/.test(line))
    print(
      `See what agents do, and answer them:\n\n  ${line}\n\nThat signs you in once, within 10 minutes. For a new one: ${commandForNewLink(line)}\n`,
    );
  else print(line);
}

/** The command that prints the addresses of this server again. */
function commandForNewLink(line) {
  const { state } = parseArgs({
    args: process.argv.slice(2),
    options: { state: { type: 'string' } },
    strict: false,
  }).values;
  const own = typeof state === 'string' ? ` --state '${state}'` : '';
  return `node ${built('cli')} address --port ${new URL(line).port}${own}`;
}

function showHowToConnect(url) {
  print(`workflowlookup serves at ${url}. Ctrl-C ends it.`);
  print('\nConnect an agent to this server:');
  showConfigs(clientConfigs({ url }));
  print(
    '\nOr let the agent start a server of its own, over stdio. Without --state and --database both keep sessions in one place:',
  );
  showConfigs(clientConfigs({ command: process.execPath, args: [built('stdio')] }));
  print('\nThen ask your agent: "Follow the workflow bug-investigation for this report."\n');
}

function showConfigs(configs) {
  for (const { client, where, text } of configs) print(`\n${client} (${where}):\n\n${text}`);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
