import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A new git repository in a temporary folder. */
export interface GitFolder {
  readonly folder: string;
  /** Runs git in the folder and returns its standard output. */
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
  /** Commits everything. */
  commit(): void;
}

/** Settings for a repository that exists only for seconds: git does not clean it up after a commit, and does not wait for the disk. */
const settings = [
  'user.name=Ada',
  'user.email=ada@example.com',
  'maintenance.auto=false',
  'gc.auto=0',
  'core.fsync=none',
].flatMap((setting) => ['-c', setting]);

/** Makes a repository without a commit. */
export function makeGitFolder(): GitFolder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'project-')));
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...settings, ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  git('init', '--quiet', '-b', 'main');
  return {
    folder,
    git,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    commit() {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', 'Change');
    },
  };
}
