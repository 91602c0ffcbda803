// What `npm start` runs: the server over HTTP on this machine, and how to connect a client to it or to one over stdio.
// Arguments go to the server: `npm start -- --database postgres://user@host/database`.
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

/** The addresses come first, one a line; anything else was asked for, such as --help. */
function show(line) {
  if (/^http:\/\/\S+\/mcp(?:\/[\w-]+)?$/.test(line)) showHowToConnect(line);
  else if (/^http:\/\/\S+\/console\/\S*$/.test(line))
    print(
      `See what agents do, and answer them:\n\n  ${line}\n\nThat signs you in once, within 10 minutes. For a new one: ${commandForNewLink(line)}\n`,
    );
  else print(line);
}

/** The log stays what it is; what a person has to do about it is said in words too. */
function passOn(line) {
  process.stderr.write(`${line}\n`);
  const [, count] = /"event":"untrusted","definitions":(\d+)/.exec(line) ?? [];
  if (count === undefined) return;
  const definitions = count === '1' ? '1 definition' : `${count} definitions`;
  print(
    `Agents are not served ${definitions} of this project before you trust them. Look at them now: node ${built('cli')} trust${ownState()}\n`,
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
