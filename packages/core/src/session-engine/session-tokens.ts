import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { WorkflowError } from '@workflowlookup/schema';
import type { SessionRow } from '@workflowlookup/storage';
import type { SessionState } from '../session/session-state.ts';
import type { OpenSession, SessionAgent } from './open-session.ts';
import type { SessionStorage } from './sessions.ts';

/** A secret that tokens are signed with. */
export interface Key {
  /** Identifies a key in logs without revealing the secret. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** The keys of a server: tokens are signed with one, and those that any of them signed are genuine. */
export interface KeyRing {
  readonly signing: Key;
  /** All accepted keys, including `signing`. */
  readonly verifying: readonly Key[];
}

/** To forge 128 bits takes 2^128 tries; a signature cut shorter is never genuine. */
const shortestSignatureBytes = 16;

/** The HMAC-SHA256 of a message under the signing key, 32 bytes. */
export function sign({ signing }: KeyRing, message: Uint8Array): Uint8Array {
  return hmacOf(signing.secret, message);
}

/** Returns whether a signature, complete or cut to no less than {@link shortestSignatureBytes}, was made by any key. */
export function verify({ verifying }: KeyRing, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length < shortestSignatureBytes || signature.length > sha256.outputLen) return false;
  return verifying.some(({ secret }) => begins(hmacOf(secret, message), signature));
}

/** Compares every byte, so that its duration does not reveal how many were right. */
function begins(whole: Uint8Array, start: Uint8Array): boolean {
  let difference = 0;
  for (const [index, byte] of start.entries()) difference |= byte ^ (whole[index] ?? 0x100);
  return difference === 0;
}

/** Node's own HMAC is much faster than the library, which is needed in browsers. */
function hmacOf(secret: Uint8Array, message: Uint8Array): Uint8Array {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  return crypto === undefined
    ? hmac(sha256, secret, message)
    : crypto.createHmac('sha256', secret).update(message).digest();
}

/** Bytes as base64url without padding. */
function encodeBase64url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The bytes of base64url without padding; `undefined` for anything but the one spelling {@link encodeBase64url} gives them. */
function decodeBase64url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  // The last character may carry bits that belong to no byte.
  return encodeBase64url(bytes) === text ? bytes : undefined;
}

/** Length of a session id before it is written as hexadecimal digits. */
const sessionIdBytes = 10;

/** Returns a number of random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/** The random bytes of the platform. */
export const webCrypto: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** A new session id: 80 random bits as 20 hexadecimal digits. */
export function newSessionId(random: RandomBytes = webCrypto): string {
  return bytesToHex(random(sessionIdBytes));
}

/** Returns whether a value has the format of {@link newSessionId}. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{20}$/.test(value);
}

/**
 * The fields that self-contained tokens show to anybody who decodes them. The server never takes its state from them.
 */
export interface TokenPayload {
  /** Workflow id. */
  readonly wf: string;
  /** Current activity, `''` before the first. */
  readonly act: string;
  /** Last loaded skill, `''` before the first. */
  readonly skill: string;
  /** Last transition condition, `''` before the first. */
  readonly cond: string;
  /** Workflow version. */
  readonly v: string;
  /** How many tokens were made before this one. */
  readonly seq: number;
  /** When the token was made, in seconds since 1970. */
  readonly ts: number;
  /** Session id. */
  readonly sid: string;
  /** Agent id. */
  readonly aid: string;
  /** Checkpoint that waits for its answer. */
  readonly bcp?: string;
  /** Session id, workflow id, activity and workflow version of the parent. */
  readonly psid?: string;
  readonly pwf?: string;
  readonly pact?: string;
  readonly pv?: string;
}

/** The content of a token. */
export interface TokenClaims extends TokenPosition {
  readonly payload: TokenPayload;
}

/**
 * The result of opening a token: `genuine` if a key of the ring signed it; `unsigned` if it is well formed and names a
 * session but no key of the ring signed it; else `garbage`.
 */
export type OpenedToken =
  | { readonly kind: 'genuine'; readonly claims: TokenPosition & { readonly payload?: TokenPayload } }
  | { readonly kind: 'unsigned'; readonly sid: string }
  | { readonly kind: 'garbage' };

/**
 * Makes session tokens and reads them back. Nobody can change the spelling of a token and keep it genuine.
 *
 * @see docs/security.md#tokens
 */
export interface TokenCodec {
  /** The token of these claims, the same for the same claims while the signing key is the same. */
  seal(claims: TokenClaims): string;
  /** Takes any text and never throws. */
  open(token: string): OpenedToken;
}

/** The session, the state and the holder of a token. */
export interface TokenPosition {
  readonly sid: string;
  /** The revision of the session the holder knows; below 2^32. */
  readonly revision: number;
  /** Number of the agent in this session, counted as they join; below 2^24. */
  readonly agent: number;
}

/** One past the largest revision, and one past the largest event number of a trace token. */
const revisionLimit = 2 ** 32;

/** One past the largest agent number. */
const agentLimit = 2 ** 24;

/** Returns whether the fields of a position have valid types and ranges. */
function isPosition(value: { readonly [K in keyof TokenPosition]: unknown }): value is TokenPosition {
  return isSessionId(value.sid) && isBelow(revisionLimit, value.revision) && isBelow(agentLimit, value.agent);
}

/**
 * Fails if a token can't hold the position, because a number that is too large would be decoded as another one.
 *
 * @throws INTERNAL
 */
function assertPosition(position: TokenPosition): void {
  const { sid, revision, agent } = position;
  if (isPosition(position)) return;
  throw new WorkflowError(
    'INTERNAL',
    `A token holds a session id of 20 hexadecimal digits, a revision below ${revisionLimit} and an agent number ` +
      `below ${agentLimit}; found '${sid}', ${revision} and ${agent}.`,
  );
}

function isBelow(limit: number, value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < limit;
}

/** A codec that makes tokens of one kind and opens those of both, so that a deployment may change its kind. */
export function createCombinedCodec(sealing: TokenCodec, opening: TokenCodec): TokenCodec {
  return {
    seal: (claims) => sealing.seal(claims),
    open(token): OpenedToken {
      const opened = sealing.open(token);
      return opened.kind === 'garbage' ? opening.open(token) : opened;
    },
  };
}

const prefix = 'wl_';
// The signed text begins with its purpose, so that no other token under the same key can replace this one.
const purpose = utf8ToBytes('session-token:');

/** How many bytes a reference token has for each number. */
interface NumberSizes {
  readonly revision: number;
  readonly agent: number;
}

// A model reads every character of a token, so the numbers of nearly all sessions get the short form. The long form
// is the only one that earlier versions made.
const shortForm: NumberSizes = { revision: 2, agent: 1 };
const longForm: NumberSizes = { revision: 4, agent: 3 };

/**
 * Creates the codec of short tokens that refer to a state in the store: `wl_` and base64url of the session id (10 bytes),
 * the revision (2), the agent number (1), both big-endian, and 16 bytes of HMAC-SHA256; 42 characters. If a number is
 * too large for that, the revision has 4 bytes and the agent number 3, and the token 47 characters. The 128 bits of the
 * signature put a forgery at 2^128 tries. The payload is left out.
 */
export function createReferenceCodec(ring: KeyRing): TokenCodec {
  return {
    seal(claims) {
      assertPosition(claims);
      const position = writePosition(claims, fits(claims, shortForm) ? shortForm : longForm);
      const signature = sign(ring, concatBytes(purpose, position)).subarray(0, shortestSignatureBytes);
      return prefix + encodeBase64url(concatBytes(position, signature));
    },
    open: (token) => openReference(ring, token),
  };
}

function openReference(ring: KeyRing, token: string): OpenedToken {
  const bytes = token.startsWith(prefix) ? decodeBase64url(token.slice(prefix.length)) : undefined;
  const sizes = [shortForm, longForm].find(
    (form) => bytes?.length === lengthOf(form) + shortestSignatureBytes,
  );
  if (bytes === undefined || sizes === undefined) return { kind: 'garbage' };
  const position = bytes.subarray(0, lengthOf(sizes));
  const claims = readPosition(position, sizes);
  // The length of the signed text tells the forms apart, so a signature of one never fits the other.
  return verify(ring, concatBytes(purpose, position), bytes.subarray(position.length))
    ? { kind: 'genuine', claims }
    : { kind: 'unsigned', sid: claims.sid };
}

function fits({ revision, agent }: TokenPosition, sizes: NumberSizes): boolean {
  return revision < 256 ** sizes.revision && agent < 256 ** sizes.agent;
}

/** Returns the number of bytes of a position. */
function lengthOf({ revision, agent }: NumberSizes): number {
  return sessionIdBytes + revision + agent;
}

function writePosition({ sid, revision, agent }: TokenPosition, sizes: NumberSizes): Uint8Array {
  return concatBytes(hexToBytes(sid), bytesOf(revision, sizes.revision), bytesOf(agent, sizes.agent));
}

function readPosition(bytes: Uint8Array, { revision }: NumberSizes): TokenPosition {
  const agentAt = sessionIdBytes + revision;
  return {
    sid: bytesToHex(bytes.subarray(0, sessionIdBytes)),
    revision: numberOf(bytes.subarray(sessionIdBytes, agentAt)),
    agent: numberOf(bytes.subarray(agentAt)),
  };
}

/** Returns a number in big-endian bytes. */
function bytesOf(value: number, length: number): Uint8Array {
  return hexToBytes(value.toString(16).padStart(2 * length, '0'));
}

function numberOf(bytes: Uint8Array): number {
  return Number.parseInt(bytesToHex(bytes), 16);
}

/** The JSON of a token: the payload as documented, the revision and the agent number. */
type Body = TokenPayload & { readonly rev: number; readonly agent: number };

const payloadFields = 'wf act skill cond v seq ts sid aid bcp psid pwf pact pv'.split(' ');
const bodyFields = [...payloadFields, 'rev', 'agent'];
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Creates the codec of tokens that show the session to anybody who decodes them: `base64url(JSON).hex(HMAC-SHA256)`,
 * signed over the first part as it is spelled. The JSON has the fields of {@link TokenPayload} in their order, then
 * `rev` and `agent`; unset fields are left out.
 */
export function createSelfContainedCodec(ring: KeyRing): TokenCodec {
  return {
    seal(claims) {
      assertPosition(claims);
      const body = encodeBase64url(utf8ToBytes(JSON.stringify(bodyOf(claims), bodyFields)));
      return `${body}.${bytesToHex(sign(ring, utf8ToBytes(body)))}`;
    },
    open: (token) => openSelfContained(ring, token),
  };
}

function bodyOf({ payload, sid, revision, agent }: TokenClaims): Body {
  return { ...payload, sid, rev: revision, agent };
}

function openSelfContained(ring: KeyRing, token: string): OpenedToken {
  const [, spelled = '', signature = ''] = /^([A-Za-z0-9_-]+)\.([0-9a-f]{64})$/.exec(token) ?? [];
  const body = readBody(spelled);
  if (body === undefined) return { kind: 'garbage' };
  if (!verify(ring, utf8ToBytes(spelled), hexToBytes(signature))) return { kind: 'unsigned', sid: body.sid };
  const { rev: revision, agent, ...payload } = body;
  const position = { sid: payload.sid, revision, agent };
  return isPosition(position) ? { kind: 'genuine', claims: { ...position, payload } } : { kind: 'garbage' };
}

/** Decodes the first part of a token. Only its session id is checked. */
function readBody(spelled: string): Body | undefined {
  const bytes = decodeBase64url(spelled);
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    const body: unknown = JSON.parse(utf8.decode(bytes));
    return namesSession(body) ? (body as Body) : undefined;
  } catch {
    // Neither UTF-8 nor JSON: texts that are no tokens are expected here.
    return undefined;
  }
}

function namesSession(body: unknown): body is { readonly sid: string } {
  return typeof body === 'object' && body !== null && 'sid' in body && isSessionId(body.sid);
}

/** Signs values that a client keeps for the server, and verifies them when the client sends them back. */
export interface Signer {
  /** Returns the value as JSON and a signature, both in base64url and separated by a dot. The value is not encrypted. */
  sign(value: object): string;
  /** Returns the value, or `undefined` if no verification key signed it for this purpose. */
  verify(sealed: string): unknown;
}

/** Creates a signer for one purpose: a value that was signed for another purpose is not accepted. */
export function createSigner(ring: KeyRing, use: string): Signer {
  return {
    sign(value) {
      const body = encodeBase64url(utf8ToBytes(JSON.stringify(value)));
      return `${body}.${encodeBase64url(sign(ring, utf8ToBytes(`${use}:${body}`)))}`;
    },
    verify(sealed) {
      const [body = '', signature = '', ...more] = sealed.split('.');
      const given = decodeBase64url(signature);
      const isWhole = given?.length === sha256.outputLen && more.length === 0;
      if (!isWhole || !verify(ring, utf8ToBytes(`${use}:${body}`), given)) return undefined;
      return JSON.parse(utf8.decode(decodeBase64url(body)));
    },
  };
}

/** A segment of the trace of a session. */
export interface TraceSegment {
  readonly sid: string;
  /** Number of its first event; below 2^32. */
  readonly from: number;
  /** Number of its last event; below 2^32. */
  readonly to: number;
}

const traceTokenPrefix = 'wlt_';
const rangeBytes = 8;
const traceTokenBytes = rangeBytes + shortestSignatureBytes;
const traceTokenPurpose = utf8ToBytes('trace-token:');

/**
 * Returns the token of a segment, 36 characters: `wlt_` and base64url of both numbers and 16 bytes of HMAC-SHA256 over
 * the session id and them. The session id itself is not in it.
 *
 * @throws INTERNAL for numbers a token can't hold
 */
export function sealTraceToken(ring: KeyRing, segment: TraceSegment): string {
  const { sid, from, to } = segment;
  if (!isSessionId(sid) || !isBelow(revisionLimit, from) || !isBelow(revisionLimit, to)) {
    throw new WorkflowError('INTERNAL', `No token can name the events ${from} to ${to} of session '${sid}'.`);
  }
  const range = concatBytes(bytesOf(from, 4), bytesOf(to, 4));
  const signature = sign(ring, messageOf(sid, range)).subarray(0, shortestSignatureBytes);
  return traceTokenPrefix + encodeBase64url(concatBytes(range, signature));
}

/** Returns the segment that a token names, or `undefined` if it is not a trace token of this session. */
export function openTraceToken(ring: KeyRing, token: string, sid: string): TraceSegment | undefined {
  const bytes = token.startsWith(traceTokenPrefix)
    ? decodeBase64url(token.slice(traceTokenPrefix.length))
    : undefined;
  if (bytes?.length !== traceTokenBytes || !isSessionId(sid)) return undefined;
  const range = bytes.subarray(0, rangeBytes);
  if (!verify(ring, messageOf(sid, range), bytes.subarray(rangeBytes))) return undefined;
  return { sid, from: numberOf(range.subarray(0, 4)), to: numberOf(range.subarray(4)) };
}

function messageOf(sid: string, range: Uint8Array): Uint8Array {
  return concatBytes(traceTokenPurpose, hexToBytes(sid), range);
}

interface TokenSource {
  readonly vault: SessionStorage;
  readonly state: SessionState;
  /** The row of the session. Absent for a new one. */
  readonly session: Pick<SessionRow, 'unauthentic'> | undefined;
  readonly agent: SessionAgent;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Payload of the previous token, if that shows one. */
  readonly before?: TokenPayload | undefined;
  /** The skill that was just loaded. */
  readonly skill?: string | undefined;
}

/** Maximum length of a condition in a token. Longer ones are cut, because models have to copy tokens. */
const maxConditionChars = 256;

/** Returns the token of an agent for a state of its session. */
export function sealToken({ vault, state, session, agent, nowMs, before, skill }: TokenSource): string {
  const { sid, revision } = state;
  const payload: TokenPayload = {
    // The token is signed, so it shows nothing that somebody without the keys may have written.
    ...(session?.unauthentic === undefined ? shownOf(state) : { wf: '', act: '', cond: '', v: '' }),
    skill: skill ?? before?.skill ?? '',
    seq: before === undefined ? 0 : before.seq + 1,
    ts: Math.floor(nowMs / 1000),
    sid,
    aid: agent.id,
  };
  return vault.tokens.seal({ sid, revision, agent: agent.number, payload });
}

/** What a token shows of the state of its session. */
function shownOf({
  workflowId,
  version,
  current = '',
  lastCondition,
  parent,
  gate: openCheckpoint,
}: SessionState): Omit<TokenPayload, 'skill' | 'seq' | 'ts' | 'sid' | 'aid'> {
  return {
    wf: workflowId,
    act: current,
    cond: lastCondition.slice(0, maxConditionChars),
    v: version,
    ...(openCheckpoint && { bcp: openCheckpoint.checkpoint }),
    ...(parent && {
      psid: parent.sid,
      pwf: parent.workflowId,
      pact: parent.activity ?? '',
      pv: parent.version,
    }),
  };
}

/** Returns the token with which an agent continues after a call. */
export function nextToken(
  session: OpenSession,
  nowMs: number,
  state = session.state,
  skill?: string,
): string {
  return sealToken({ ...session, state, nowMs, before: session.seen.payload, skill });
}
