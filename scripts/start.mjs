// `npm start` runs this script. It serves over HTTP on this machine and prints how to connect a client.
// `npm start -- --project DIR` serves the workflows of a project too, and collects evidence there.
// It passes other arguments on to the server: `npm start -- --database postgres://user@host/database`.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { foreground } from './support/foreground.mjs';

const built = (app, file = 'main.js') =>
  fileURLToPath(new URL(`../apps/${app}/dist/${file}`, import.meta.url));
const { clientConfigs } = await import(pathToFileURL(built('cli', 'client-configs.js')).href);

const { project, serverArgs } = readArguments(process.argv.slice(2));
const { child, ended } = foreground(['node', built('http'), ...serverArgs], {
  stdio: ['inherit', 'pipe', 'pipe'],
  cwd: project ?? process.cwd(),
});
eachLine(child.stdout, show);
eachLine(child.stderr, passOn);
process.exitCode = await ended;

/** Returns the folder of the project, if there is one, and the arguments of the server. */
function readArguments(args) {
  const at = args.findIndex((one) => /^--project(=|$)/.test(one));
  // Agents don't work on the folder of this script, so it must not count as the project.
  if (at === -1) return { serverArgs: ['--no-project', '--no-evidence', ...args] };
  const [, inline] = args[at].split(/=(.*)/s);
  const named = inline ?? args[at + 1] ?? '';
  // npm runs scripts in the folder of the package.
  const folder = resolve(process.env['INIT_CWD'] ?? '', named);
  if (named === '' || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    console.error(`--project: '${named}' is not a folder. Name the folder of your project.`);
    process.exit(2);
  }
  return { project: folder, serverArgs: args.toSpliced(at, inline === undefined ? 2 : 1) };
}

function eachLine(stream, take) {
  let begun = '';
  stream.setEncoding('utf8').on('data', (text) => {
    const lines = `${begun}${text}`.split('\n');
    begun = lines.pop();
    for (const line of lines) take(line);
  });
  stream.on('end', () => begun !== '' && take(begun));
}

/** Explains a printed line if it is an address of the server. Prints any other line unchanged, such as those of --help. */
function show(line) {
  if (/^http:\/\/\S+\/mcp(?:\/[\w-]+)?$/.test(line)) showHowToConnect(line);
  else if (/^http:\/\/\S+\/console\/\S*$/.test(line))
    print(
      `Open the console to see what agents do and to answer their questions:\n\n  ${line}\n\nThis address works once, within 10 minutes. To get a new one, run: ${commandForNewLink(line)}\n`,
    );
  else print(line);
}

/** Passes on a line of the log. If definitions are not trusted, it also explains how to review them. */
function passOn(line) {
  process.stderr.write(`${line}\n`);
  const [, count] = /"event":"untrusted","definitions":(\d+)/.exec(line) ?? [];
  if (count === undefined) return;
  const definitions = count === '1' ? '1 definition' : `${count} definitions`;
  print(
    `Agents do not get ${definitions} of the project until you trust them. To review them, run this in the folder of the project: node ${built('cli')} trust${ownState()}\n`,
  );
}

/** Returns the command that prints the addresses of this server again, with a new sign-in link. */
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
  if (project === undefined)
    print(
      '\nThis server does not know your project: it serves no workflows of the project, and collects no evidence there. A server over stdio does both in the folder in which the agent starts it. For the server over HTTP, name the folder:\n\n  npm start -- --project DIR',
    );
  print('\nThen ask your agent: "Start a session on bug-investigation for this report."\n');
}

function showConfigs(configs) {
  for (const { client, where, text } of configs) print(`\n${client} (${where}):\n\n${text}`);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
