import type { CheckEvidence } from '@workflowlookup/schema';
import type { EvidenceResult } from './collector.ts';

/** What a signed statement says of a check. */
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
  /** Judges what was found by what a step asks for. `before`: how many tests ran when the check was last accepted. */
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
