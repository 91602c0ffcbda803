import { dirname } from 'node:path';
import type { ProjectChecks } from '@workflowlookup/evidence';
import type { Folder } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { trustMessages } from '../messages.ts';
import type { FoundCharacter } from './review.ts';
import { hiddenIn } from './review.ts';
import type { TrustedChecksFile } from './trust-file.ts';
import type { Trust } from './trust.ts';

/**
 * Whether a server may run the checks of a project. `changed`: a person trusted another version. `missing`: a person
 * trusted a version, and the file no longer exists.
 */
export type ChecksTrustState = 'trusted' | 'untrusted' | 'changed' | 'missing';

/** The checks of a project, as a person reads them before they trust them. Every text in it is untrusted. */
export interface ChecksReview {
  /** The checks as they are now, with the digest that a person trusts. */
  readonly project: ProjectChecks;
  readonly state: Exclude<ChecksTrustState, 'missing'>;
  /** The version that was trusted last; absent if there is none. */
  readonly entry?: TrustedChecksFile;
  /** The texts of that version, if they were kept. */
  readonly before?: Folder;
  readonly hidden: readonly FoundCharacter[];
}

/** A project whose checks a person trusted, or can trust. */
export interface ChecksOfProject {
  /** The folder of the project. */
  readonly folder: string;
  readonly state: ChecksTrustState;
  readonly entry?: TrustedChecksFile;
}

/** Lets a person review the checks of projects and decide about them. */
export interface ChecksReviews {
  /** The folder in which this server runs checks; absent on a server that runs none. */
  readonly folder?: string;
  /** Returns how a person trusts the checks of these folders. Folders without checks are left out. */
  projects(folders: readonly string[]): Promise<readonly ChecksOfProject[]>;
  /** The folders with checks that a person trusts, in this version or an older one. */
  trustedFolders(): readonly string[];
  /** Returns the checks of a folder as they are now, or `undefined` if it has no file of checks. */
  review(folder: string): Promise<ChecksReview | undefined>;
  /** Trusts the texts that the review shows. @throws INVALID_FILE if they have an error; NOT_WRITTEN */
  accept(review: ChecksReview, by: string): void;
  /** Withdraws the trust in the checks of a folder; returns whether there was any. @throws NOT_WRITTEN */
  withdraw(folder: string): Promise<boolean>;
}

/** Makes the reviews of checks. `folder` is the one in which the server runs them. */
export function createChecksReviews(trust: Trust, folder: string | undefined): ChecksReviews {
  const entryAt = (path: string): TrustedChecksFile | undefined =>
    trust.record().checks.find((one) => one.path === path);

  async function review(place: string): Promise<ChecksReview | undefined> {
    const { readProjectChecks } = await import('@workflowlookup/evidence');
    const project = await readProjectChecks(place);
    if (project === undefined) return undefined;
    const entry = entryAt(project.path);
    const before = trust.checks.lastTexts(project.path);
    return {
      project,
      state: entry === undefined ? 'untrusted' : entry.digest === project.digest ? 'trusted' : 'changed',
      ...(entry && { entry }),
      ...(before && { before }),
      hidden: [...project.texts].flatMap(([name, text]) => hiddenIn(name, text)),
    };
  }

  async function pathOf(place: string): Promise<string> {
    const { checksPathOf } = await import('@workflowlookup/evidence');
    return checksPathOf(place);
  }

  return {
    ...(folder !== undefined && { folder }),
    review,
    async projects(folders) {
      const found = new Map<string, ChecksOfProject>();
      for (const one of folders) {
        const path = await pathOf(one);
        const { state = 'missing', entry = entryAt(path) } = (await review(one)) ?? {};
        // Two paths can lead to one folder.
        if (found.has(path) || (state === 'missing' && entry === undefined)) continue;
        found.set(path, { folder: one, state, ...(entry && { entry }) });
      }
      return [...found.values()];
    },
    trustedFolders: () => trust.record().checks.map(({ path }) => dirname(dirname(path))),
    accept({ project }, by) {
      const { checks, problem = '' } = project;
      if (checks === undefined) throw new WorkflowError('INVALID_FILE', trustMessages.checksInvalid(problem));
      trust.checks.trust(project, by);
    },
    async withdraw(place) {
      return trust.remove(await pathOf(place)) > 0;
    },
  };
}
