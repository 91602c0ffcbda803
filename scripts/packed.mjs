// What the checks of packed packages share: packing, installing, and running programs.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--loglevel=error'];

/** Packs the package of a folder of the workspace; gives its tarball as npm takes it for a version. */
export async function pack(folder, into) {
  const args = ['pack', '--json', '--pack-destination', into];
  return `file:${JSON.parse(await must('pnpm', args, { cwd: join(root, folder) })).filename}`;
}

/** Makes a folder a package of its own that depends on these by name, and installs them. */
export function install(cwd, dependencies, overrides = {}) {
  const manifest = { type: 'module', private: true, dependencies, overrides };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
  return must('npm', ['install', ...quiet], { cwd });
}

/** Runs a program; gives what it wrote. @throws Error that says what it wrote, where it failed */
export async function must(program, args, options) {
  const { ok, output } = await run(program, args, options);
  if (!ok) throw new Error(`${program} ${args.join(' ')} failed in ${options.cwd}\n${output}`);
  return output;
}

/** Runs a program; gives whether it ended well, and what it wrote: all of it, where it did not. */
export function run(program, args, { cwd, env = process.env, input = '' }) {
  const shell = process.platform === 'win32' && !program.includes('node');
  return new Promise((resolve) => {
    const options = { cwd, env, shell, maxBuffer: 1 << 26 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const said = error?.code === 'ENOENT' ? error.message : stderr;
      resolve({ ok: error === null, output: error === null ? stdout : `${stdout}${said}` });
    });
    // A child that ends before it has read its input fails by its exit code.
    child.stdin.on('error', () => {}).end(input);
  });
}

/** Says what went wrong; the check goes on, and fails. */
export function fail(text) {
  console.log(text);
  process.exitCode = 1;
}
