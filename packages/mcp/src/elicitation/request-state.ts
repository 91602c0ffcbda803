import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';

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

/** How long a person may take. */
const lifetimeMs = 600_000;

const purpose = 'request-state:';

/** Makes the seals of these keys. A state is signed, not hidden. */
export function createRequestStates(keys: KeyRing, now: () => number = () => Date.now()): RequestStates {
  return {
    seal(state) {
      const body = Buffer.from(JSON.stringify({ ...state, until: now() + lifetimeMs })).toString('base64url');
      return `${body}.${signatureOf(body, keys.signing.secret).toString('base64url')}`;
    },
    open(sealed, call) {
      const state = typeof sealed === 'string' ? openSigned(sealed, keys) : undefined;
      if (state === undefined) throw refusal('was not made by this server');
      if (state.until < now()) throw refusal('is too old');
      if (state.call !== call) throw refusal('belongs to another call');
      return state;
    },
  };
}

/** Keys that live as long as this process. */
export function processKeys(): KeyRing {
  const signing = { id: 'process', secret: randomBytes(32) };
  return { signing, verifying: [signing] };
}

function openSigned(sealed: string, keys: KeyRing): (RequestState & { readonly until: number }) | undefined {
  const [body = '', signature = ''] = sealed.split('.');
  const given = Buffer.from(signature, 'base64url');
  const isGenuine = keys.verifying.some(({ secret }) => {
    const due = signatureOf(body, secret);
    return due.length === given.length && timingSafeEqual(due, given);
  });
  if (!isGenuine || sealed !== `${body}.${given.toString('base64url')}`) return undefined;
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as RequestState & { until: number };
}

function signatureOf(body: string, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(purpose).update(body).digest();
}

function refusal(what: string): WorkflowError {
  return new WorkflowError('INVALID_PARAMS', `requestState ${what}; call the tool again without it`);
}
