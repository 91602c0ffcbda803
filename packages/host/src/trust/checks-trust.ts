import type { ChecksTrust, ProjectChecks } from '@workflowlookup/evidence';
import type { Folder } from '@workflowlookup/schema';
import { digestOfTexts } from '@workflowlookup/storage/files';
import type { TrustFile } from './trust-file.ts';

/** What a person trusts of the commands of projects. */
export interface TrustOfChecks extends ChecksTrust {
  /** The texts that were trusted last for the checks at a path, to show what has changed. */
  lastTexts(path: string): Folder | undefined;
  /** Trusts the checks of a project as they are. @throws NOT_WRITTEN */
  trust(checks: Pick<ProjectChecks, 'digest' | 'path' | 'texts'>, by: string): void;
}

/** The command with which a person trusts checks. */
const trustChecksCommand = 'workflowlookup checks trust';

/**
 * Opens what a person trusts of the checks of projects, in the same record as definitions. A trusted folder, or a
 * trusted project, does not include them: only the exact digest counts, because checks run commands.
 */
export function openChecksTrust(file: TrustFile): TrustOfChecks {
  const entryAt = (path: string) => file.read().checks.find((one) => one.path === path);
  const textsAt = (path: string): Folder | undefined => {
    const texts = entryAt(path)?.texts;
    return texts === undefined ? undefined : file.textsOf(texts);
  };
  return {
    command: trustChecksCommand,
    async entry(path) {
      const found = entryAt(path);
      if (found === undefined) return undefined;
      const { namesIn } = await import('@workflowlookup/evidence');
      return { digest: found.digest, names: await namesIn(textsAt(path)) };
    },
    acceptedTests: (project, check) =>
      file.read().accepted.find((one) => one.project === project && one.check === check)?.tests,
    acceptTests(project, check, tests) {
      const known = file.read().accepted.find((one) => one.project === project && one.check === check);
      if (known?.tests === tests) return;
      file.change((record) => ({
        ...record,
        accepted: [
          ...record.accepted.filter((one) => one.project !== project || one.check !== check),
          { project, check, tests, at: new Date().toISOString() },
        ],
      }));
    },
    lastTexts: textsAt,
    trust({ path, digest, texts }, by) {
      const entry = { path, digest, texts: digestOfTexts(texts), at: new Date().toISOString(), by };
      file.keepTexts(texts);
      file.change((record) => ({
        ...record,
        checks: [...record.checks.filter((one) => one.path !== path), entry],
      }));
    },
  };
}
