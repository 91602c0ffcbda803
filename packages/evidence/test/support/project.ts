import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChecksTrust, LocalCollector, TrustedChecks } from '../../src/index.ts';
import { createCollector, namesIn, readProjectChecks } from '../../src/index.ts';
import type { GitFolder } from './git-folder.ts';
import { makeGitFolder } from './git-folder.ts';

/** A project in a git repository, and the checks that its user trusts. */
export interface Project extends GitFolder {
  readonly stateFolder: string;
  /** Trusts the checks as they are now. */
  trust(): Promise<void>;
  readonly trusted: ChecksTrust;
  collector(environment?: Readonly<Record<string, string | undefined>>): LocalCollector;
}

/** Makes a project with these files and commits them. */
export function makeProject(files: Readonly<Record<string, string>> = {}): Project {
  const { folder, git, write, commit } = makeGitFolder();
  const stateFolder = mkdtempSync(join(tmpdir(), 'state-'));
  const entries = new Map<string, TrustedChecks>();
  const counts = new Map<string, number>();
  const trusted: ChecksTrust = {
    entry: (path) => Promise.resolve(entries.get(path)),
    acceptedTests: (project, check) => counts.get(`${project} ${check}`),
    acceptTests: (project, check, run) => void counts.set(`${project} ${check}`, run),
    command: 'workflowlookup checks trust',
    acceptCommand: (check) => `workflowlookup checks run ${check} --accept`,
  };
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
    collector: (environment = process.env) =>
      createCollector({ folder, stateFolder, environment, trust: trusted }),
  };
}
