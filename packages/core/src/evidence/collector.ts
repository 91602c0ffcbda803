import type { CheckEvidence, Evidence, EvidenceKind, EvidenceLevel } from '@workflowlookup/schema';

/**
 * What a collection of evidence found. `not-configured`: the project has no check of this name, so nothing is proved and
 * nothing is refused.
 */
export type EvidenceOutcome = 'passed' | 'failed' | 'not-configured';

/** The tests of a check, as its reports count them. */
export interface TestCounts {
  /** Tests that ran: passed and failed. */
  readonly run: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of failed tests, the first ones. */
  readonly failures: readonly string[];
}

/** The output of a command. */
export interface CommandOutput {
  /** SHA-256 of everything the command wrote. */
  readonly digest: string;
  readonly bytes: number;
  /** The last 4 kB, without control characters. */
  readonly tail: string;
}

/** What was found, and how. It is one event of the journal. */
export interface EvidenceResult {
  readonly kind: EvidenceKind;
  readonly level: EvidenceLevel;
  readonly outcome: EvidenceOutcome;
  /** Why it failed, or what it does not prove. Sentences for people and agents. */
  readonly reasons: readonly string[];
  /** The name of the check. */
  readonly check?: string;
  /** The command as a person would type it. */
  readonly command?: string;
  readonly exitCode?: number;
  readonly tests?: TestCounts;
  /** How many tests ran when the check was last accepted. */
  readonly testsBefore?: number;
  /** Errors that SARIF reports name. */
  readonly errors?: number;
  /** Percent of lines that tests cover. */
  readonly coverage?: number;
  readonly durationMs?: number;
  readonly output?: CommandOutput;
  /** The commit that was checked out. */
  readonly commit?: string;
  /** The address of the repository on a known web host, by the configuration of the repository. */
  readonly repository?: string;
  /** The state of all files: `commit:SHA` if they equal the commit, otherwise a digest. Absent without a repository. */
  readonly tree?: string;
  /** The file that was looked at, and a digest of its content: git may ignore it. */
  readonly file?: { readonly path: string; readonly digest: string };
  /**
   * The patterns that changes had to match, or the file that was looked at: the first ones, with the variables filled in.
   * An agent may have set these.
   */
  readonly paths?: readonly string[];
  /** The commit with which changes were compared: the branch that a step names may be moved. */
  readonly base?: string;
  /** Files that were written while the command ran, and were then as before: the first ones. */
  readonly touched?: readonly string[];
  /** The person who collected it, or the key or service that vouches for it. */
  readonly by?: string;
  /** When it was collected, if that was before it was recorded; ISO 8601. */
  readonly collectedAt?: string;
}

/** A request to a collector. */
export interface EvidenceRequest {
  /** Two requests with the same key share one collection. */
  readonly key: string;
  /** With the variables of the session filled in. */
  readonly evidence: Evidence;
  /** Milliseconds to wait for the result. */
  readonly waitMs: number;
  /** Cancels the collection. */
  readonly signal?: AbortSignal;
  /** Called from time to time while a command runs. */
  onProgress?(progress: EvidenceProgress): void;
}

/** How far a collection is. */
export interface EvidenceProgress {
  readonly elapsedMs: number;
  /** The last line of the output. */
  readonly lastLine: string;
}

/** The answer of a collector: a result, or that the command still runs. */
export type EvidenceAnswer = { readonly result: EvidenceResult } | { readonly running: EvidenceProgress };

/**
 * Collects evidence in one folder. It runs only commands that a person trusted. `@workflowlookup/evidence` has the one
 * that hosts use.
 */
export interface EvidenceCollector {
  /** The working folder. Sessions that were started in another one are refused. */
  readonly folder: string;
  /**
   * Returns the state of all files as `EvidenceResult.tree` has it, or `undefined` without a git repository. A state
   * that was seen at most `maxAgeMs` milliseconds ago does as well.
   */
  tree(options?: { readonly maxAgeMs?: number }): Promise<string | undefined>;
  /** Returns the digest of a file in the folder, as `EvidenceResult.file` has it, or `undefined` if there is none. */
  file?(path: string): Promise<string | undefined>;
  /** The same key gets the same collection until its result was returned once. */
  collect(request: EvidenceRequest): Promise<EvidenceAnswer>;
  /** The values that a person trusted in this folder. Results from elsewhere are compared with them. */
  readonly baseline?: EvidenceBaseline;
}

/** The checks of a folder as a person last trusted them. */
export interface EvidenceBaseline {
  /** The digest of the checks that were trusted last, and how many tests ran when a check was last accepted. */
  read(check: string): Promise<{ readonly digest?: string; readonly tests?: number }>;
  /** Keeps how many tests ran. */
  accept(check: string, run: number): Promise<void>;
  /** The command with which a person trusts the checks. */
  readonly trustCommand: string;
}

/** The result of a check as a signed statement reports it. */
export interface StatedCheck {
  /** The name of the trusted key that signed it. */
  readonly by: string;
  /** The name of the check. */
  readonly check: string;
  readonly commit: string;
  /** The only session that it is for; absent if it is for all. */
  readonly session?: string;
  /** When the check began to run; ISO 8601. */
  readonly ranAt: string;
  /** The digest of the checks of the project, as they were then. */
  readonly checksDigest: string;
  /**
   * Judges the reported result by the requirements of a step. `before`: how many tests ran when the check was last
   * accepted.
   */
  resultFor(evidence: CheckEvidence, before: number | undefined): EvidenceResult;
}

/** Reads signed statements. `@workflowlookup/evidence` has the one that hosts use. */
export interface StatementReader {
  /**
   * @param source the envelope, or its text
   * @throws WorkflowError INVALID_INPUT, STATEMENT_REFUSED if no trusted key signed it
   */
  read(source: unknown): Promise<StatedCheck>;
}
