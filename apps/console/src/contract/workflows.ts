import type { DryRun, DryRunOptions, Trial, TrialAction } from '@workflowlookup/analysis';
import type { DefinitionProblem } from '@workflowlookup/core';
import type { ActivityFile, Outline, Diagram } from '@workflowlookup/diagrams';
import type { Issue, Json, JsonObject, WorkflowSummary } from '@workflowlookup/schema';
import type { Route } from './server.ts';
import type { SessionOutput } from './sessions.ts';

export type {
  ConsideredTarget,
  DryRunStep,
  DryRun,
  Trial,
  TrialAction,
  TrialPosition,
  TrialStep,
} from '@workflowlookup/analysis';

/** The routes for workflows, their texts and their trust. */
export interface WorkflowsRoutes {
  readonly 'GET /workflows': Route<undefined, Catalogue>;
  readonly 'GET /workflows/:id': Route<undefined, WorkflowDetail>;
  readonly 'GET /text': Route<undefined, DefinitionText>;
  readonly 'PUT /text': Route<SaveRequest, Saved>;
  readonly 'GET /versions': Route<undefined, TextVersions>;
  /** 404 for a version that is not kept. */
  readonly 'GET /versions/:digest': Route<undefined, { readonly text: string }>;
  readonly 'GET /untrusted': Route<undefined, UntrustedList>;
  readonly 'GET /untrusted/review': Route<undefined, DefinitionReview>;
  readonly 'POST /trust': Route<TrustRequest, TrustGiven>;
  readonly 'POST /check': Route<CheckRequest, Check>;
  readonly 'POST /position': Route<PositionRequest, TextPosition>;
  readonly 'POST /walk': Route<DryRunRequest, DryRun>;
  readonly 'POST /try': Route<TrialRequest, Trial>;
  readonly 'POST /duplicate': Route<DuplicateRequest, Duplicated>;
  readonly 'GET /outputs': Route<undefined, PastOutputs>;
  readonly 'POST /judge': Route<JudgeRequest, Judged>;
}

/** The routes for the checks of projects. */
export interface ChecksRoutes {
  readonly 'GET /checks': Route<undefined, ProjectChecksList>;
  readonly 'GET /checks/review': Route<undefined, ChecksReview>;
  readonly 'POST /checks/trust': Route<TrustChecksRequest, ChecksTrustChanged>;
  readonly 'POST /checks/distrust': Route<Pick<TrustChecksRequest, 'folder'>, ChecksTrustChanged>;
}

export interface CatalogueEntry extends WorkflowSummary {
  readonly kind: 'steps' | 'activities';
  readonly source: string;
  /** Sources with a lower precedence that have a workflow with this id too. */
  readonly overrides: readonly string[];
}

/** The errors or warnings of one definition file, each with its line and column. */
export interface CatalogueProblem extends DefinitionProblem {
  readonly source: string;
}

/** A directory that definitions are read from. */
export interface CatalogueSource {
  readonly name: string;
  /** Whether {@link SaveRequest} may write to it. */
  readonly isWritable: boolean;
  readonly workflows: number;
  /** Only for a user who may see all sessions. */
  readonly directory?: string;
}

export interface Catalogue {
  /** Sorted by id. */
  readonly workflows: readonly CatalogueEntry[];
  readonly problems: readonly CatalogueProblem[];
  /** Lowest precedence first. */
  readonly sources: readonly CatalogueSource[];
}

export interface DefinitionFile {
  /** The path relative to the source, with `/` as separator. */
  readonly file: string;
  readonly notation: 'json' | 'yaml' | 'toon' | 'markdown';
}

/** The response of `GET /console/api/workflows/:id`. The status is 404 `WORKFLOW_NOT_FOUND` for an unknown id. */
export interface WorkflowDetail {
  readonly source: string;
  readonly outline: Outline;
  readonly graph: Diagram;
  /** One file for a step workflow; the files of the folder for an activity workflow, `workflow.*` first. */
  readonly files: readonly DefinitionFile[];
  readonly activityFiles: readonly ActivityFile[];
  readonly isWritable: boolean;
  readonly problems: readonly CatalogueProblem[];
}

/**
 * The response of `GET /console/api/text?source=NAME&file=PATH`. The status is 404 if there is no such file. It is
 * 403 if the file isn't part of a definition, or if that definition isn't served and the signed-in user lacks `write`
 * or `checkpoints:respond`.
 */
export interface DefinitionText extends DefinitionFile {
  readonly source: string;
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  readonly isWritable: boolean;
  /** All files of the definition, as in {@link WorkflowDetail}. */
  readonly files: readonly DefinitionFile[];
}

/** The body of `POST /console/api/check`, which checks a text as if it were saved. */
export interface CheckRequest {
  readonly source: string;
  /** The path of the file. For a file of an activity workflow, the other files of its folder are read from disk. */
  readonly file: string;
  readonly text: string;
}

/** The problems of a text, and the workflow it defines if it can be read. */
export interface Check extends Partial<Pick<WorkflowDetail, 'outline' | 'graph' | 'activityFiles'>> {
  /** Errors and warnings in the order of the text. The `edits` of a problem fix it. */
  readonly problems: readonly Issue[];
  /** Whether the text has no errors that keep it from being served. */
  readonly isUsable: boolean;
}

/** The body of `POST /console/api/position`, which finds a value in a text. */
export interface PositionRequest {
  readonly text: string;
  readonly notation: Exclude<DefinitionFile['notation'], 'markdown'>;
  /** JSON pointer of the value. */
  readonly pointer: string;
}

/**
 * The position of a value in a text. Lines and columns count from 1. If the text has no such value, it is the position of
 * the nearest one around it.
 */
export type TextPosition = Pick<Issue, 'line' | 'column'>;

/**
 * The body of `PUT /console/api/text`, which saves a file to a writable source. The status is 403 `FORBIDDEN` if the
 * source is not writable or without `may.save`, 409 with `TextConflict`, 422 with `InvalidText`.
 */
export interface SaveRequest extends CheckRequest {
  /** The digest of the text that was read, or null for a new file. */
  readonly digest: string | null;
}

export interface Saved {
  readonly digest: string;
  readonly workflowId: string;
}

/** A text that a file had when somebody saved it in the console, or that such a save replaced. */
export interface TextVersion {
  readonly digest: string;
  /** ISO 8601. */
  readonly savedAt: string;
  /** Absent for a text that was not saved in the console. */
  readonly savedBy?: string;
}

/**
 * The response of `GET /console/api/versions?source=NAME&file=PATH`, newest first. The last 20 versions of a file are
 * kept. The status is 403 without `may.save`.
 */
export interface TextVersions {
  readonly versions: readonly TextVersion[];
}

export interface UntrustedList {
  /** The definitions of the project that are not served to agents, because nobody has trusted them. */
  readonly definitions: readonly {
    /** Only for a user who may trust it, because the id is read from the untrusted file. */
    readonly id?: string;
    readonly source: string;
    /** `replaces`: a source with more trust has a workflow with this id. */
    readonly reason: 'changed' | 'replaces' | 'untrusted';
    /** The path relative to its source; only for a user who may trust it. */
    readonly file?: string;
  }[];
  /** Whether the user may review and trust definitions, which requires the scopes `write` and `checkpoints:respond`. */
  readonly mayTrust: boolean;
}

/** A location in a file. Lines count from 1. */
interface ReviewPlace {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** The differences between the checkpoints of two definitions. */
export interface CheckpointChanges {
  /** Checkpoints that only the other definition has. */
  readonly missing: readonly string[];
  /** Checkpoints that need a person only in the other definition. */
  readonly weaker: readonly string[];
  readonly added: readonly string[];
}

/**
 * The response of `GET /console/api/untrusted/review?source=NAME&file=PATH`, which a person reads before they trust a
 * definition. Hidden characters in every text are escaped. The status is 403 `FORBIDDEN`, or 404 if the file can't be
 * read.
 */
export interface DefinitionReview {
  readonly source: string;
  readonly file: string;
  /** The digest of exactly the texts in this review. */
  readonly digest: string;
  readonly id?: string;
  readonly title?: string;
  /** `before` is the text that was last trusted. */
  readonly files: readonly (DefinitionFile & { readonly text: string; readonly before?: string })[];
  readonly hidden: readonly ReviewPlace[];
  readonly commands: readonly ReviewPlace[];
  readonly problems: readonly ReviewPlace[];
  readonly checkpoints: readonly {
    readonly id: string;
    readonly message: string;
    readonly needsPerson: boolean;
  }[];
  /** The changes since the version that was last trusted. Absent if its checkpoints are the same. */
  readonly since?: CheckpointChanges;
  readonly replaces?: CheckpointChanges & { readonly source: string; readonly id: string };
  /** Whether the definition has no errors and no hidden characters. */
  readonly isTrustable: boolean;
}

/**
 * The body of `POST /console/api/trust`, which trusts the texts of a review. The status is 409 if a file changed
 * since the review.
 */
export interface TrustRequest extends Pick<DefinitionReview, 'source' | 'file' | 'digest'> {
  readonly replaces?: string;
}

/** The response to a {@link TrustRequest}. */
export interface TrustGiven {
  readonly id: string;
}

/**
 * The body of `POST /console/api/walk`, which simulates a session and stores nothing. With a `draft`, the workflow is the
 * one that its text would make, were it saved.
 */
export interface DryRunRequest extends Pick<DryRunOptions, 'context' | 'answers'> {
  readonly workflowId: string;
  readonly draft?: CheckRequest;
}

/**
 * The body of `POST /console/api/try`, which follows a workflow step by step and stores nothing. It has every action from
 * the start. With a `draft`, the workflow is the one that its text would make, were it saved.
 */
export interface TrialRequest extends Pick<DryRunRequest, 'workflowId' | 'context' | 'draft'> {
  readonly actions: readonly TrialAction[];
}

/**
 * The body of `POST /console/api/duplicate`: the workflow file to copy with all its files, the source that the copy goes
 * to, and the id and the name of the copy. The status is 409 `CONFLICT` if a file of the copy already exists.
 */
export interface DuplicateRequest {
  readonly source: string;
  readonly file: string;
  readonly to: string;
  readonly id: string;
  /** Default: the name of the original. */
  readonly name?: string;
}

export interface Duplicated {
  readonly source: string;
  /** The workflow file of the copy. */
  readonly file: string;
  readonly workflowId: string;
}

/** The body of `POST /console/api/judge`: an output, and criteria like a step's `validationCriteria`. */
export interface JudgeRequest {
  readonly output: string;
  readonly criteria?: Json;
  /** The criteria as YAML or JSON, in place of `criteria`; also a step with `validationCriteria` and `fields`. */
  readonly text?: string;
  /** The variables that conditions in the criteria can read. */
  readonly context?: Readonly<Record<string, Json>>;
}

/** An output that an agent submitted in one of the latest sessions of a workflow. */
export interface PastOutput {
  readonly sid: string;
  readonly title: string;
  readonly activity: string;
  readonly step: string;
  /** The first 20,000 characters at most. This is untrusted data. */
  readonly output: string;
  /** Set if the criteria refused it then. Refused outputs of more than 1,000 characters are not kept whole, and not listed. */
  readonly isRefused?: true;
}

/** The response of `GET /console/api/outputs?workflow=ID`: the outputs of the latest 30 sessions, newest first. */
export interface PastOutputs {
  readonly outputs: readonly PastOutput[];
  /** What each step asks for now, by step: its `validationCriteria` and `fields`. */
  readonly steps: Readonly<Record<string, JsonObject>>;
}

/** The response of `POST /console/api/judge`. The status is 422 `INVALID_CRITERIA` if the criteria are invalid. */
export interface Judged {
  readonly verdict: NonNullable<SessionOutput['verdict']>;
  readonly sentences: readonly string[];
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
