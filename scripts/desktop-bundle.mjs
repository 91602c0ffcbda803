// `node scripts/run.mjs bundle [folder]` packs the stdio server into one file that desktop clients on every supported
// platform can install (.mcpb).
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tools } from '../packages/mcp/dist/index.js';
import { readManifest, root } from './support/workspace.mjs';

const app = readManifest('apps/stdio');

// The bundle needs the native packages of every platform, because a desktop client installs no dependencies.
const everyPlatform = '--os=linux --os=darwin --os=win32 --cpu=x64 --cpu=arm64 --libc=glibc';
const deploy =
  `--filter ${app.name} --prod --config.inject-workspace-packages=true deploy --config.node-linker=hoisted ${everyPlatform}`.split(
    ' ',
  );

/** Files of a deployment that the server does not need. */
const modules = ['.pnpm', '.modules.yaml', '.pnpm-workspace-state-v1.json'];
const notes = [
  'src',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  ...modules.map((name) => `node_modules/${name}`),
];

console.log(makeBundle(process.argv[2] ?? '.'));

/** Creates the bundle in a folder and returns its path. The packages must be built before. */
function makeBundle(folder) {
  const staging = mkdtempSync(join(tmpdir(), 'desktop-bundle-'));
  const content = join(staging, 'content');
  const file = resolve(folder, `workflowlookup-${app.version}.mcpb`);
  try {
    run('pnpm', [...deploy, content]);
    // These files contain paths of this machine, and the server does not read them.
    for (const name of notes) rmSync(join(content, name), { recursive: true, force: true });
    const { name, version, type, license } = app;
    writeJson(join(content, 'package.json'), { name, version, type, license, private: true });
    cpSync(join(root, 'LICENSE'), join(content, 'LICENSE'));
    writeJson(join(content, 'manifest.json'), manifest());
    run('mcpb', ['validate', join(content, 'manifest.json')]);
    run('mcpb', ['pack', content, file]);
    return file;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Returns the manifest that a desktop client reads before it starts the server. */
function manifest() {
  return {
    manifest_version: '0.4',
    name: 'workflowlookup',
    display_name: 'workflowlookup',
    version: app.version,
    description:
      'Hands agents workflows one step at a time, checks what they did, and waits for people at gates.',
    author: { name: 'The workflowlookup authors' },
    repository: { type: 'git', url: app.repository.url.replace(/^git\+/, '') },
    license: app.license,
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      // A desktop client does not start servers in the folder of a project.
      mcp_config: { command: 'node', args: ['${__dirname}/dist/main.js', '--no-project'] },
    },
    tools: tools.map(({ name, description }) => ({ name, description })),
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: app.engines.node } },
  };
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Runs a program. It prints its own errors. */
function run(program, args) {
  const shell = process.platform === 'win32';
  execFileSync(program, args, { cwd: root, shell, stdio: ['ignore', 'ignore', 'inherit'] });
}
