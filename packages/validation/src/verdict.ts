/** What the engine says of an output. */
export interface Verdict {
  readonly valid: boolean;
  /** What is wrong, in the order of the criteria; empty when valid. */
  readonly issues: readonly string[];
  /** What would do, no line twice; empty when valid. */
  readonly suggestions: readonly string[];
}
