import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeBase64url, encodeBase64url } from './base64url.ts';
import type { KeyRing } from './key-ring.ts';
import { sign, verify } from './key-ring.ts';
import { isSessionId } from './session-id.ts';
import type { OpenedToken, TokenClaims, TokenCodec, TokenPayload } from './token-codec.ts';
import { assertPosition, isPosition } from './token-position.ts';

/** The JSON of a token: the payload as documented, the revision and the agent number. */
type Body = TokenPayload & { readonly rev: number; readonly agent: number };

const payloadFields = 'wf act skill cond v seq ts sid aid bcp psid pwf pact pv'.split(' ');
const bodyFields = [...payloadFields, 'rev', 'agent'];
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Tokens that show the session to who decodes them: `base64url(JSON).hex(HMAC-SHA256)`, signed over the first part as
 * it is spelled. The JSON has the fields of {@link TokenPayload} in their order, then `rev` and `agent`; what is not
 * set is left out.
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

/** What a first part says; only the session id of it is checked. */
function readBody(spelled: string): Body | undefined {
  const bytes = decodeBase64url(spelled);
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    const body: unknown = JSON.parse(utf8.decode(bytes));
    return namesSession(body) ? (body as Body) : undefined;
  } catch {
    // Neither UTF-8 nor JSON: a text that is no token is expected here.
    return undefined;
  }
}

function namesSession(body: unknown): body is { readonly sid: string } {
  return typeof body === 'object' && body !== null && 'sid' in body && isSessionId(body.sid);
}
