import type { KeyObject } from 'node:crypto';
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { WorkflowError, isJsonObject } from '@workflowlookup/schema';
import { statementMessages } from '../messages.ts';

/** A signed text: a DSSE envelope (https://github.com/secure-systems-lab/dsse). */
export interface Envelope {
  readonly payloadType: string;
  /** Base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid?: string; readonly sig: string }[];
}

/** A public key whose statements count, and the name that results carry. */
export interface TrustedKey {
  readonly name: string;
  readonly key: KeyObject;
}

/** The type of the content of every envelope that this package signs or reads. */
const payloadType = 'application/vnd.in-toto+json';

/** Longest envelope that is read, in characters. */
const maxStatementChars = 262_144;

const maxSignatures = 16;
const maxKeyBytes = 16_384;

/**
 * Signs a statement with an Ed25519 key.
 *
 * @throws WorkflowError INVALID_INPUT if the statement is longer than what servers read
 */
export function signStatement(
  statement: object,
  key: KeyObject,
  { maxChars = maxStatementChars }: Pick<EnvelopeReading, 'maxChars'> = {},
): Envelope {
  const body = Buffer.from(JSON.stringify(statement));
  const envelope = {
    payloadType,
    payload: body.toString('base64'),
    signatures: [{ keyid: keyId(key), sig: sign(null, signedBytes(body), key).toString('base64') }],
  };
  if (JSON.stringify(envelope).length > maxChars)
    throw new WorkflowError('INVALID_INPUT', statementMessages.tooLong(maxChars));
  return envelope;
}

/** What an envelope holds, and which trusted keys signed it. */
export interface OpenedEnvelope {
  readonly statement: Readonly<Record<string, unknown>>;
  /** In the order in which the keys are trusted. */
  readonly signers: readonly TrustedKey[];
}

/** How an envelope is read. */
export interface EnvelopeReading {
  /** The longest text that is read, in characters. Default 256 Ki. */
  readonly maxChars?: number;
  /** Also returns a statement that no trusted key signed, without signers. */
  readonly isUnsignedToo?: boolean;
}

/**
 * Returns the statement of an envelope and the keys that signed it.
 *
 * @param source the envelope, or its text
 * @throws WorkflowError INVALID_INPUT if it is no envelope with a statement; STATEMENT_REFUSED if no trusted key
 *   signed it
 */
export function openEnvelope(
  source: unknown,
  trusted: readonly TrustedKey[],
  { maxChars = maxStatementChars, isUnsignedToo = false }: EnvelopeReading = {},
): OpenedEnvelope {
  const { payload, signatures, ...envelope } = envelopeOf(source, maxChars);
  if (envelope.payloadType !== payloadType)
    throw malformed(statementMessages.otherPayload(envelope.payloadType, payloadType));
  const body = bytesOf(payload);
  const signed = body && signedBytes(body);
  const sigs = signatures.map(({ sig }) => bytesOf(sig));
  if (body === undefined || signed === undefined || sigs.includes(undefined))
    throw malformed(statementMessages.notBase64());
  // The ids of keys are not covered by the signature, so they are ignored.
  const signers = trusted.filter((one) =>
    sigs.some((sig) => sig?.length === 64 && verify(null, signed, one.key, sig)),
  );
  if (signers.length === 0 && !isUnsignedToo) {
    const names = trusted.map(({ name }) => name);
    throw new WorkflowError('STATEMENT_REFUSED', statementMessages.unknownKey(names), {
      data: { reason: names.length === 0 ? 'no-trusted-keys' : 'unknown-key' },
    });
  }
  const statement = parsed(textIn(body));
  if (!isJsonObject(statement)) throw malformed(statementMessages.notAnObject());
  return { statement, signers };
}

/** The error for what is no statement, or not one of the expected kind. */
export function malformed(message: string): WorkflowError {
  return new WorkflowError('INVALID_INPUT', message, { data: { reason: 'not-a-statement' } });
}

/** The bytes that are signed: the "pre-authentication encoding" of DSSE. */
function signedBytes(body: Buffer): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} `), type, Buffer.from(` ${body.length} `), body]);
}

function envelopeOf(source: unknown, maxChars: number): Envelope {
  if (typeof source === 'string' && source.length > maxChars)
    throw new WorkflowError('INVALID_INPUT', statementMessages.tooLong(maxChars));
  const value = typeof source === 'string' ? parsed(source) : source;
  if (
    !isJsonObject(value) ||
    typeof value['payloadType'] !== 'string' ||
    typeof value['payload'] !== 'string' ||
    !Array.isArray(value['signatures']) ||
    value['signatures'].length > maxSignatures ||
    !value['signatures'].every((one) => isJsonObject(one) && typeof one['sig'] === 'string')
  )
    throw malformed(statementMessages.notAnEnvelope());
  return value as unknown as Envelope;
}

/** Parses JSON; `undefined` for another text. Of a name that stands twice, other readers may take another value. */
export function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const named = text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, '').split(':').length - 1;
    return countNames(value) === named ? value : undefined;
  } catch {
    // It is not JSON.
    return undefined;
  }
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, one) => sum + countNames(one), own);
}

/** Decodes UTF-8. Returns an empty text if the bytes are not UTF-8, and keeps a byte order mark: neither is JSON. */
function textIn(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    // The empty text is refused as invalid JSON, like any other text that isn't UTF-8.
    return '';
  }
}

/** Reads base64 of either alphabet, or returns `undefined`. */
function bytesOf(text: string): Buffer | undefined {
  if (!/^[\w+/-]*={0,2}$/.test(text) || (/[-_]/.test(text) && /[+/]/.test(text))) return undefined;
  return Buffer.from(text, 'base64');
}

/** The id of a key: the first half of the SHA-256 of its public part. */
function keyId(key: KeyObject): string {
  const open = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(open.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 32);
}

/** Reads the private Ed25519 key of a PEM file. @throws WorkflowError INVALID_FILE */
export async function readSigningKey(file: string): Promise<KeyObject> {
  const text = await keyText(file);
  if (text.includes('PUBLIC KEY')) throw wrongKey(statementMessages.publicForSigning(file));
  return ed25519(file, () => createPrivateKey(text));
}

/** Reads the public Ed25519 key of a PEM file. @throws WorkflowError INVALID_FILE */
export async function readTrustedKey(name: string, file: string): Promise<TrustedKey> {
  const text = await keyText(file);
  // Node.js would take its public part. But whoever can read the file could then sign.
  if (text.includes('PRIVATE KEY')) throw wrongKey(statementMessages.privateForTrust(file));
  return { name, key: ed25519(file, () => createPublicKey(text)) };
}

async function keyText(file: string): Promise<string> {
  const text = await fileText(file, maxKeyBytes, statementMessages.keyUnreadable);
  if (text.length > maxKeyBytes) throw wrongKey(statementMessages.notAKey(file));
  return text;
}

/** Reads a file up to one byte more than `most`, because a pipe or a device may never end. Each byte is one character. */
export async function fileText(
  file: string,
  most: number,
  unreadable: (file: string, code: string) => string,
): Promise<string> {
  const parts: string[] = [];
  try {
    const source = createReadStream(file, { encoding: 'latin1', end: most });
    for await (const part of source) parts.push(part as string);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new WorkflowError('INVALID_FILE', unreadable(file, code), { cause: error });
  }
  return parts.join('');
}

function ed25519(file: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    throw new WorkflowError('INVALID_FILE', statementMessages.notAKey(file), { cause });
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw wrongKey(statementMessages.otherKeyType(file, key.asymmetricKeyType ?? 'unknown'));
}

function wrongKey(message: string): WorkflowError {
  return new WorkflowError('INVALID_FILE', message);
}
