import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { environment } from '../scripts/prepare.mjs';
import { root } from '../scripts/workspace.mjs';

/** Files by path; a value that is not text is written as JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** How a command ended, and what it printed. */
export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** A small workspace in a temporary folder, under the settings and scripts of this one. */
export interface FixtureWorkspace {
  /** Writes files, over those that are there. */
  readonly plant: (files: Files) => void;
  /** Puts every planted file back to what it was. */
  readonly weed: () => void;
  readonly run: (command: readonly string[]) => Promise<Outcome>;
  readonly remove: () => void;
}

const settings = [
  '.gitignore',
  '.oxfmtrc.json',
  '.oxlintrc.json',
  'LICENSE',
  'api-extractor.base.json',
  'pnpm-workspace.yaml',
  'tsconfig.base.json',
  'tsconfig.json',
  'turbo.json',
  'scripts',
];

/** Makes a workspace of these files; tools and settings are those of the repository. */
export function createFixtureWorkspace(files: Files): FixtureWorkspace {
  const folder = mkdtempSync(join(tmpdir(), 'guards-'));
  for (const name of settings) cpSync(join(root, name), join(folder, name), { recursive: true });
  linkTools(folder);
  write(folder, files);
  const planted = new Set<string>();
  return {
    plant: (faults) => {
      for (const path of Object.keys(faults)) planted.add(path);
      write(folder, faults);
    },
    weed: () => {
      for (const path of planted) {
        rmSync(join(folder, path));
        if (path in files) write(folder, { [path]: files[path] });
      }
      planted.clear();
    },
    run: (command) => runIn(folder, command),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Links each installed package, and the fixture's own packages by their names. */
function linkTools(folder: string): void {
  const installed = join(root, 'node_modules');
  mkdirSync(join(folder, 'node_modules/@workflowlookup'), { recursive: true });
  for (const name of readdirSync(installed).filter((one) => !/^\.|^@workflowlookup$/.test(one)))
    symlinkSync(join(installed, name), join(folder, 'node_modules', name));
  for (const name of ['schema', 'core'])
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@workflowlookup', name));
}

function write(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(
      join(folder, path),
      typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
    );
  }
}

function runIn(cwd: string, [program = '', ...args]: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { cwd, env: { ...environment(), NO_COLOR: '1' }, maxBuffer: 1 << 26 },
      (error, stdout, stderr) =>
        resolve({ ok: error === null, output: `${stdout}${stderr}${error?.message ?? ''}` }),
    );
  });
}
