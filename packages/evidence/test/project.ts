import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ChecksTrust, LocalCollector, TrustedChecks } from '../src/index.ts';
import { createCollector, namesIn, readProjectChecks } from '../src/index.ts';

/** A project in a git repository, and what the person who uses it trusts. */
export interface Project {
  readonly folder: string;
  readonly stateFolder: string;
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
  /** Commits everything. */
  commit(): void;
  /** Trusts the checks as they are now. */
  trust(): Promise<void>;
  readonly trusted: ChecksTrust;
  collector(): LocalCollector;
}

/** Makes a project with these files and commits them. */
export function makeProject(files: Readonly<Record<string, string>> = {}): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'project-')));
  const stateFolder = mkdtempSync(join(tmpdir(), 'state-'));
  const entries = new Map<string, TrustedChecks>();
  const counts = new Map<string, number>();
  const trusted: ChecksTrust = {
    entry: (path) => Promise.resolve(entries.get(path)),
    acceptedTests: (project, check) => counts.get(`${project} ${check}`),
    acceptTests: (project, check, run) => void counts.set(`${project} ${check}`, run),
    command: 'workflowlookup checks trust',
  };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const commit = (): void => {
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '-m', 'Change');
  };
  git('init', '--quiet', '-b', 'main');
  for (const [path, text] of Object.entries(files)) write(path, text);
  commit();
  return {
    folder,
    stateFolder,
    git,
    write,
    commit,
    async trust() {
      const found = await readProjectChecks(folder);
      if (found === undefined) throw new Error('The project has no checks');
      entries.set(found.path, { digest: found.digest, names: await namesIn(found.texts) });
    },
    trusted,
    collector: () => createCollector({ folder, stateFolder, environment: process.env, trust: trusted }),
  };
}
