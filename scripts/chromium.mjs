// Finds the browser for tests and screenshots of the console: an installed Chromium, or Debian's. As a command, it
// installs Chromium if necessary and prints its path.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Returns the path of a Chromium on this machine, or `undefined` if none is installed. */
export function findChromium(path = process.env.PATH ?? '') {
  const folders = [...path.split(delimiter), '/usr/bin'];
  const candidates = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...elsewhere];
  return candidates.find(existsSync);
}

function install() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const commands = [
    ['update', '--quiet'],
    ['install', '--yes', '--quiet', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'],
  ];
  for (const args of commands) {
    const { status, error } = spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) stop(`apt-get ${args[0]} failed${error === undefined ? '' : `: ${error.message}`}.`);
  }
}

function stop(reason) {
  console.error(
    `${reason} The tests of the console need Chromium or Chrome. Install one of them, and run the command again.`,
  );
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (findChromium() === undefined) install();
  const found = findChromium();
  if (found === undefined) stop('apt-get did not install Chromium.');
  console.log(found);
}
