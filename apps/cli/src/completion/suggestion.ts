/** What a word can become. */
export interface Suggestion {
  readonly value: string;
  /** Shown beside it. */
  readonly about?: string;
}
