// `node scripts/run.mjs bundle [folder]`: the stdio server as one file that desktop clients install (.mcpb), for every platform it runs on.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tools } from '../packages/mcp/dist/index.js';
import { readManifest, root } from './workspace.mjs';

const app = readManifest('apps/stdio');

// Of the code that native packages hold, that of every platform: who installs a file installs nothing else.
const everyPlatform = '--os=linux --os=darwin --os=win32 --cpu=x64 --cpu=arm64 --libc=glibc';
const deploy =
  `--filter ${app.name} --prod --config.inject-workspace-packages=true deploy --config.node-linker=hoisted ${everyPlatform}`.split(
    ' ',
  );

/** What a deployment leaves beside what runs. */
const modules = ['.pnpm', '.modules.yaml', '.pnpm-workspace-state-v1.json'];
const notes = [
  'src',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  ...modules.map((name) => `node_modules/${name}`),
];

console.log(makeBundle(process.argv[2] ?? '.'));

/** Makes the bundle in a folder and gives its path; the packages have to be built. */
function makeBundle(folder) {
  const staging = mkdtempSync(join(tmpdir(), 'desktop-bundle-'));
  const content = join(staging, 'content');
  const file = resolve(folder, `workflowlookup-${app.version}.mcpb`);
  try {
    run('pnpm', [...deploy, content]);
    // What the deployment says of itself names folders of this machine, and nothing reads it.
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

/** What a desktop client is told before it starts the server. */
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
      // A desktop client starts servers in a folder that is nobody's project.
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

/** What goes wrong is said by the program that fails. */
function run(program, args) {
  const shell = process.platform === 'win32';
  execFileSync(program, args, { cwd: root, shell, stdio: ['ignore', 'ignore', 'inherit'] });
}
