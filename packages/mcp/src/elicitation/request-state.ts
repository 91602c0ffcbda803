import { randomBytes } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import { createSeal } from '../seal.ts';

/** How far a call has come that its client will repeat. */
interface RequestState {
  /** Digest of the tool and its arguments. */
  readonly call: string;
  /** Digest of the question that was put last. */
  readonly asking: string;
  /** What was answered to the questions before, by their digests; null: nothing was chosen. */
  readonly answers: Readonly<Record<string, string | null>>;
}

/** Seals the state of a call, which its client holds meanwhile, and opens what a client sends back. */
export interface RequestStates {
  seal(state: RequestState): string;
  /** @throws WorkflowError INVALID_PARAMS for what was not sealed here, is too old, or belongs to another call */
  open(sealed: unknown, call: string): RequestState;
}

/** Whose states, and by which clock. */
export interface RequestStatesOptions {
  /** Only this caller's states open; default one caller. */
  readonly principal?: string;
  readonly now?: () => number;
}

/** How long a person may take. */
const lifetimeMs = 600_000;

/** Makes the seals of these keys. */
export function createRequestStates(keys: KeyRing, options: RequestStatesOptions = {}): RequestStates {
  const { principal, now = () => Date.now() } = options;
  const seal = createSeal(keys, principal === undefined ? 'request-state' : `request-state:${principal}`);
  return {
    seal: (state) => seal.close({ ...state, until: now() + lifetimeMs }),
    open(sealed, call) {
      const state = typeof sealed === 'string' ? seal.open(sealed) : undefined;
      if (state === undefined) throw refusal('was not made by this server');
      const known = state as RequestState & { readonly until: number };
      if (known.until < now()) throw refusal('is too old');
      if (known.call !== call) throw refusal('belongs to another call');
      return known;
    },
  };
}

/** Keys that live as long as this process. */
export function processKeys(): KeyRing {
  const signing = { id: 'process', secret: randomBytes(32) };
  return { signing, verifying: [signing] };
}

function refusal(what: string): WorkflowError {
  return new WorkflowError('INVALID_PARAMS', `requestState ${what}; call the tool again without it`);
}
