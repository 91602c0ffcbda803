// Packs every public package, installs the tarballs together in an empty folder, and uses them like a user would:
// imports every entry in plain Node, compiles against its types, and runs every bin.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, install, pack, run } from '../support/packed.mjs';
import { publicPackages, root } from '../support/workspace.mjs';

const packages = publicPackages();
const consumer = mkdtempSync(join(tmpdir(), 'packed-smoke-'));
const installed = (name) => join(consumer, 'node_modules', name);

try {
  await installAll();
  for (const entry of packages.flatMap(entriesOf)) await checkEntry(entry);
  await Promise.all(['nodenext', 'bundler'].map(compile));
  const bins = packages.flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}));
  await Promise.all(bins.map(askForHelp));
  await Promise.all(bins.flatMap(serversOf).map(askForWorkflows));
} catch (error) {
  fail(error.message);
} finally {
  rmSync(consumer, { recursive: true, force: true });
}

async function installAll() {
  const packed = packages.map(async ({ folder, manifest }) => [manifest.name, await pack(folder, consumer)]);
  await install(consumer, Object.fromEntries(await Promise.all(packed)));
  for (const { manifest } of packages) {
    Object.keys(manifest.peerDependencies ?? {}).forEach(lend);
    for (const file of ['README.md', 'LICENSE']) {
      if (!existsSync(join(installed(manifest.name), file)))
        fail(`${manifest.name} is packed without ${file}`);
    }
  }
}

/** Links a peer dependency from this workspace, because consumers must provide their own. */
function lend(peer) {
  if (!existsSync(installed(peer)))
    symlinkSync(join(root, 'node_modules', peer), installed(peer), 'junction');
}

/** Returns the entries of a package that contain code. */
function entriesOf({ manifest: { name, exports = {} } }) {
  const withTypes = Object.entries(exports).filter(([, target]) => target.types !== undefined);
  return withTypes.map(([subpath, target]) => ({
    specifier: `${name}${subpath.slice(1)}`,
    source: join(installed(name), target['@workflowlookup/source']),
  }));
}

/** Imports an entry, and writes a module that imports the types of all its exports. */
async function checkEntry({ specifier, source }) {
  const script = `console.log(JSON.stringify(Object.keys(await import('${specifier}'))))`;
  const { ok, output } = await runHere(process.execPath, ['--input-type=module', '-e', script]);
  if (!ok) return fail(`import of ${specifier} failed: ${/^\w*Error.*$/m.exec(output)?.[0] ?? output}`);
  const names = new Set([...JSON.parse(output), ...namesListedIn(source)]);
  const file = join(consumer, `${specifier.replaceAll(/\W+/g, '-')}.ts`);
  writeFileSync(file, `export type { ${[...names].join(', ')} } from '${specifier}';\n`);
}

/** Returns the names in the export lists of a source file. Types are missing from the exports at run time. */
function namesListedIn(source) {
  const lists = readFileSync(source, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  const names = [...lists]
    .flatMap(([, list]) => list.split(','))
    .map((name) => name.replace(/^.*\bas\b/, '').replace(/^\s*type /, ''));
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** Compiles the consumer without skipLibCheck. Only errors in our packages or in the consumer count. */
async function compile(moduleResolution) {
  const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext';
  const typeRoots = [join(root, 'node_modules/@types')];
  const compilerOptions = {
    module,
    moduleResolution,
    target: 'es2022',
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
    typeRoots,
  };
  const project = join(consumer, `tsconfig.${moduleResolution}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const { ok, output } = await runHere('tsc', ['-p', project, '--pretty', 'false']);
  const ours = output
    .split('\n')
    .filter(
      (line) =>
        /^(?!node_modules\/)|^node_modules\/(@workflowlookup|workflowlookup)\//.test(line) && line !== '',
    );
  if (!ok && ours.length > 0)
    fail(`types do not compile with moduleResolution ${moduleResolution}\n${ours.join('\n')}`);
}

async function askForHelp(bin) {
  const { ok, output } = await runHere(binOf(bin), ['--help']);
  if (!ok || !output.startsWith('Usage:')) fail(`${bin} --help failed\n${output}`);
}

/** Returns the commands with which a bin starts a stdio server. */
function serversOf(bin) {
  if (bin === 'workflowlookup') return [[bin, 'serve', 'stdio']];
  return bin.endsWith('-stdio') ? [[bin]] : [];
}

/** Checks that the installed server finds the bundled workflows, which are in another package. */
async function askForWorkflows([bin, ...args]) {
  const clientInfo = { name: 'packed-smoke', version: '1.0.0' };
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const calls = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: opening },
    { jsonrpc: '2.0', id: 2, method: 'workflow_list', params: {} },
  ];
  const input = calls.map((call) => `${JSON.stringify(call)}\n`).join('');
  const { ok, output } = await runHere(binOf(bin), [...args, '--no-user', '--no-project'], input);
  const listed = output.split('\n').find((line) => line.includes('"id":2')) ?? '{}';
  if (!ok || !JSON.parse(listed).result?.workflows?.length) fail(`${bin} lists no workflow\n${output}`);
}

function binOf(name) {
  return join(consumer, 'node_modules/.bin', name);
}

function runHere(program, args, input) {
  return run(program, args, { cwd: consumer, input });
}
