import { execFile } from 'node:child_process';
import { pathWithoutProject } from '../run/environment.ts';

/** The result of a git command. */
export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
}

/** Variables that a git command gets from the server. Others could change which repository it reads. */
const kept = ['HOME', 'XDG_CONFIG_HOME', 'SystemRoot', 'TMPDIR', 'LANG'];

/** No git command may take longer. */
const timeoutMs = 60_000;

/**
 * Runs a git command that reads. Nothing that a repository configures is run: an agent may have written its
 * configuration.
 */
export function git(
  args: readonly string[],
  {
    folder,
    environment,
    more = {},
    encoding = 'utf8',
  }: {
    readonly folder: string;
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly more?: Readonly<Record<string, string>>;
    /** `latin1` keeps the bytes of names that are not UTF-8. */
    readonly encoding?: 'latin1' | 'utf8';
  },
): Promise<GitResult> {
  const passed = kept.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = {
    ...Object.fromEntries(passed),
    ...pathWithoutProject(environment['PATH'], folder),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    LC_ALL: 'C',
    ...more,
  };
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-pager', ...args];
  return new Promise((resolve) => {
    execFile(
      'git',
      safe,
      { cwd: folder, env, maxBuffer: 512 * 1024 * 1024, timeout: timeoutMs, encoding },
      (error, stdout) => resolve({ ok: error === null, stdout }),
    );
  });
}
