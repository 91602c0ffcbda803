// Packs every public package and installs each one alone in an empty folder, like a user who needs only that package.
// Imports every entry and runs every bin with --help on the oldest and on newer versions of Node. On the newest
// version, it also runs the code in the README.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodePackage } from '../support/newer-node.mjs';
import { fail, install, must, pack } from '../support/packed.mjs';
import { publicPackages, readManifest } from '../support/workspace.mjs';

/** The versions of Node to test besides the running one, which should be the oldest supported version. */
const newer = ['22.23.2', '24.21.0'];

const home = mkdtempSync(join(tmpdir(), 'packed-alone-'));
const packages = publicPackages();

try {
  const nodes = [process.execPath, ...(await Promise.all(newer.map(fetchNode)))];
  const packed = packages.map(async ({ folder, manifest }) => [manifest.name, await pack(folder, home)]);
  const tarballs = Object.fromEntries(await Promise.all(packed));
  for (const one of packages) await tryAlone(one, { tarballs, nodes });
} catch (error) {
  fail(error.message);
} finally {
  rmSync(home, { recursive: true, force: true });
}

/**
 * Installs the Node binary for this platform directly. The npm package `node` needs an install script, which is off
 * here.
 */
async function fetchNode(version) {
  const name = nodePackage();
  if (name === undefined)
    throw new Error(`There is no Node package for ${process.platform}-${process.arch}.`);
  const folder = emptyFolder(`node-${version}`);
  await install(folder, { [name]: version });
  return join(folder, 'node_modules', name, 'bin/node');
}

async function tryAlone({ manifest }, { tarballs, nodes }) {
  const { name, exports = {}, bin = {}, peerDependencies: peers = {} } = manifest;
  const cwd = emptyFolder(name.replace(/\W+/g, '-'));
  await installOurs([name], { cwd, tarballs, peers });
  const entries = Object.entries(exports).filter(([, { types }]) => types !== undefined);
  const imports = entries.map(([subpath]) => `await import('${name}${subpath.slice(1)}');`).join('\n');
  writeFileSync(join(cwd, 'imports.mjs'), imports);
  for (const node of nodes) {
    await must(node, ['imports.mjs'], { cwd });
    for (const file of Object.values(bin))
      await must(node, [join('node_modules', name, file), '--help'], { cwd });
  }
  await tryReadme(name, { cwd, tarballs, peers, node: nodes.at(-1) });
  console.log(`${name}: ${entries.length} entries, ${Object.keys(bin).length} bins`);
}

/** Runs the code blocks of a README, after it installs our other packages that they import. */
async function tryReadme(name, { cwd, tarballs, peers, node }) {
  const readme = readFileSync(join(cwd, 'node_modules', name, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code);
  const imported = blocks.flatMap((code) => [...code.matchAll(/from '((?:@[\w-]+\/)?[\w-]+)/g)]);
  const ours = imported.map(([, specifier]) => specifier).filter((one) => one in tarballs);
  await installOurs([...new Set([name, ...ours])], { cwd, tarballs, peers });
  writeFileSync(join(cwd, 'review.yaml'), 'id: review\nname: Review\ndescription: Read it\nsteps: []\n');
  for (const [at, code] of blocks.entries()) {
    writeFileSync(join(cwd, `readme-${at}.mts`), code);
    await must(node, [`readme-${at}.mts`], { cwd, env: { ...process.env, HOME: cwd } });
  }
}

/**
 * Installs our packages from their tarballs, also as dependencies. Peer dependencies have the versions of our tests.
 */
function installOurs(names, { cwd, tarballs, peers }) {
  const { devDependencies: tested } = readManifest('.');
  const lent = Object.entries(peers).map(([name, range]) => [name, tested[name] ?? range]);
  const dependencies = Object.fromEntries([...lent, ...names.map((name) => [name, tarballs[name]])]);
  const overrides = Object.fromEntries(Object.entries(tarballs).filter(([name]) => !names.includes(name)));
  return install(cwd, dependencies, overrides);
}

function emptyFolder(name) {
  const folder = join(home, name);
  mkdirSync(folder);
  return folder;
}
