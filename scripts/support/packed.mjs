// Helpers of the checks of packed packages.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--loglevel=error'];

/** Packs a package of the workspace. Returns its tarball as a `file:` version for npm. */
export async function pack(folder, into) {
  const args = ['pack', '--json', '--pack-destination', into];
  return `file:${JSON.parse(await must('pnpm', args, { cwd: join(root, folder) })).filename}`;
}

/** Creates a package with these dependencies in a folder, and installs them. */
export function install(cwd, dependencies, overrides = {}) {
  const manifest = { type: 'module', private: true, dependencies, overrides };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
  return must('npm', ['install', ...quiet], { cwd });
}

/** Runs a program and returns its output. @throws Error with the output if the program fails */
export async function must(program, args, options) {
  const { ok, output } = await run(program, args, options);
  if (!ok) throw new Error(`${program} ${args.join(' ')} failed in ${options.cwd}\n${output}`);
  return output;
}

/** Runs a program. Returns whether it succeeded, and its standard output; after a failure also its standard error. */
export function run(program, args, { cwd, env = process.env, input = '' }) {
  const shell = process.platform === 'win32' && !program.includes('node');
  return new Promise((resolve) => {
    const options = { cwd, env, shell, maxBuffer: 1 << 26 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const said = error?.code === 'ENOENT' ? error.message : stderr;
      resolve({ ok: error === null, output: error === null ? stdout : `${stdout}${said}` });
    });
    // If the child exits before it has read its input, its exit code reports the failure.
    child.stdin.on('error', () => {}).end(input);
  });
}

/** Prints a problem. The check continues, and fails at the end. */
export function fail(text) {
  console.log(text);
  process.exitCode = 1;
}
