// `npm start` runs this script. It serves over HTTP on this machine and prints how to connect a client.
// It passes its arguments on to the server: `npm start -- --database postgres://user@host/database`.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clientConfigs } from '../apps/cli/dist/client-configs.js';
import { foreground } from './foreground.mjs';

const built = (app) => fileURLToPath(new URL(`../apps/${app}/dist/main.js`, import.meta.url));

const { child, ended } = foreground(['node', built('http'), ...process.argv.slice(2)], {
  stdio: ['inherit', 'pipe', 'pipe'],
});
eachLine(child.stdout, show);
eachLine(child.stderr, passOn);
process.exitCode = await ended;

function eachLine(stream, take) {
  let begun = '';
  stream.setEncoding('utf8').on('data', (text) => {
    const lines = `${begun}${text}`.split('\n');
    begun = lines.pop();
    for (const line of lines) take(line);
  });
  stream.on('end', () => begun !== '' && take(begun));
}

/** The server prints its addresses first, each on a line. Anything else was asked for, such as --help. */
function show(line) {
  if (/^http:\/\/\S+\/mcp(?:\/[\w-]+)?$/.test(line)) showHowToConnect(line);
  else if (/^http:\/\/\S+\/console\/\S*$/.test(line))
    print(
      `Open the console to see what agents do and to answer their questions:\n\n  ${line}\n\nThis address works once, within 10 minutes. To get a new one, run: ${commandForNewLink(line)}\n`,
    );
  else print(line);
}

/** Passes the log on, and explains what a person has to do about an entry. */
function passOn(line) {
  process.stderr.write(`${line}\n`);
  const [, count] = /"event":"untrusted","definitions":(\d+)/.exec(line) ?? [];
  if (count === undefined) return;
  const definitions = count === '1' ? '1 definition' : `${count} definitions`;
  print(
    `Agents do not get ${definitions} of this project until you trust them. To review them, run: node ${built('cli')} trust${ownState()}\n`,
  );
}

/** The command that prints the addresses of this server again. */
function commandForNewLink(line) {
  return `node ${built('cli')} address --port ${new URL(line).port}${ownState()}`;
}

function ownState() {
  const { state } = parseArgs({
    args: process.argv.slice(2),
    options: { state: { type: 'string' } },
    strict: false,
  }).values;
  return typeof state === 'string' ? ` --state '${state}'` : '';
}

function showHowToConnect(url) {
  print(`The workflowlookup server runs at ${url}. Press Ctrl-C to stop it.`);
  print('\nConnect an agent to this server:');
  showConfigs(clientConfigs({ url }));
  print(
    '\nOr let the agent start its own server over stdio. Unless you set --state or --database, both servers share their sessions:',
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
