import type { Route } from './server.ts';
import type { DefinitionFile, ReviewPlace } from './workflows.ts';

/** The routes for the checks of projects. */
export interface ChecksRoutes {
  readonly 'GET /checks': Route<undefined, ProjectChecksList>;
  readonly 'GET /checks/review': Route<undefined, ChecksReview>;
  readonly 'POST /checks/trust': Route<TrustChecksRequest, ChecksTrustChanged>;
  readonly 'POST /checks/distrust': Route<Pick<TrustChecksRequest, 'folder'>, ChecksTrustChanged>;
}

/**
 * A project whose checks a person trusted, or can trust. `changed`: a person trusted another version. `missing`: a
 * person trusted a version, and the file no longer exists.
 */
export interface ProjectWithChecks {
  readonly folder: string;
  readonly state: 'trusted' | 'untrusted' | 'changed' | 'missing';
  /** How many of the latest sessions that have not ended work in this folder. */
  readonly sessions: number;
  /** Who trusted the last version, and when, in ISO 8601. */
  readonly trusted?: { readonly by: string; readonly at: string };
}

export interface ProjectChecksList {
  /** Whether this server runs checks. A server with sign-in, or for other machines, runs none. */
  readonly runsChecks: boolean;
  /** The folder in which this server runs checks; only for a user who may trust them. */
  readonly folder?: string;
  /**
   * Whether the user may review and trust checks. This requires the scopes `write` and `checkpoints:respond`, and a
   * server that runs checks.
   */
  readonly mayTrust: boolean;
  /** Those that need a decision first. Empty for a user who may not trust checks. */
  readonly projects: readonly ProjectWithChecks[];
}

/** A command that a server runs if a person trusts it. */
export interface ReviewedCheck {
  readonly name: string;
  readonly command: string;
  /** Whether a shell runs it. */
  readonly usesShell: boolean;
  readonly timeout: string;
  /** Such as `junit: reports/junit.xml`. */
  readonly reports: readonly string[];
  /** Variables that the command gets although their names look like secrets. */
  readonly env: readonly string[];
}

/**
 * The response of `GET /console/api/checks/review?folder=PATH`, which a person reads before they trust the checks of a
 * project. Hidden characters in every text are escaped. The status is 403 `FORBIDDEN`, or 404 `RESOURCE_NOT_FOUND` for a
 * folder that the list does not have.
 */
export interface ChecksReview {
  readonly folder: string;
  readonly state: Exclude<ProjectWithChecks['state'], 'missing'>;
  /** The digest of exactly the texts in this review. */
  readonly digest: string;
  readonly checks: readonly ReviewedCheck[];
  /** The error because of which the file can't be trusted. */
  readonly problem?: string;
  readonly hidden: readonly ReviewPlace[];
  /**
   * The file of checks, and everything that it names under `also_trust`. `before` is the text that was trusted last;
   * without `text`, it is no longer part of what is trusted.
   */
  readonly files: readonly (DefinitionFile & { readonly text?: string; readonly before?: string })[];
}

/** The body of `POST /console/api/checks/trust`. The status is 409 `CONFLICT` if a text changed since the review. */
export type TrustChecksRequest = Pick<ChecksReview, 'folder' | 'digest'>;

/** The response after the trust in the checks of a project was given or withdrawn. */
export interface ChecksTrustChanged {
  readonly folder: string;
  readonly state: 'trusted' | 'untrusted';
}
