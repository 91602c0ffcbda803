import type { ApiError } from '../contract.ts';

/** A request that was not done: what the server said, or that it could not be reached (status 0). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: ApiError['code'] | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  /** When to try again, where the server says. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, said: Partial<ApiError>, retryAfterSeconds?: number) {
    super(said.message ?? sentenceFor(status));
    this.name = 'Refusal';
    this.status = status;
    this.code = said.code;
    this.data = said.data ?? {};
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** What an error says to people. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function sentenceFor(status: number): string {
  if (status === 0) return 'The server can’t be reached.';
  if (status === 503) return 'The server is busy or on its way out.';
  return `The server answered with status ${status}.`;
}
