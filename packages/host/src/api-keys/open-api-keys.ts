import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';
import type { LinesFile } from '../lines-file.ts';
import { createLinesFile } from '../lines-file.ts';
import { stateFileError } from '../state-file-error.ts';
import type { ApiKey, ApiKeys, NewApiKey } from './api-key.ts';
import { isScope, scopes } from './api-key.ts';

/** Where keys are kept, and by which clock they expire. */
export interface ApiKeyOptions {
  /** Absolute path; made with the first key, for its owner alone. */
  readonly stateDirectory: string;
  readonly now?: () => Date;
}

/** A line of the file: a key that was made, or one that was revoked. */
type Line =
  | { readonly made: ApiKey; readonly hash: string }
  | { readonly revoked: string; readonly at: string };

interface Kept {
  readonly key: ApiKey;
  readonly hash: Buffer;
}

const spelling = /^wlk_([0-9a-f]{12})_[\w-]{43}$/;

/**
 * Opens the keys of a state directory, which many servers and commands may use at once. A secret is 256 random bits, so its
 * SHA-256 gives nothing of it away.
 */
export function openApiKeys({ stateDirectory, now = () => new Date() }: ApiKeyOptions): ApiKeys {
  const file = createLinesFile(join(stateDirectory, 'api-keys'));
  const load = createLoader(file);

  return {
    create: (wanted) =>
      guarded(() => {
        check(wanted);
        const id = randomBytes(6).toString('hex');
        const secret = `wlk_${id}_${randomBytes(32).toString('base64url')}`;
        const key: ApiKey = { id, ...wanted, createdAt: now().toISOString() };
        append(file, { made: key, hash: hashOf(secret).toString('hex') });
        return { key, secret };
      }),
    list: () => guarded(() => [...load().values()].map(({ key }) => key)),
    revoke: (id) =>
      guarded(() => {
        if (!load().has(id)) return false;
        append(file, { revoked: id, at: now().toISOString() });
        return true;
      }),
    verify: (secret) =>
      guarded(() => {
        const id = spelling.exec(secret)?.[1];
        const kept = id === undefined ? undefined : load().get(id);
        if (kept === undefined || !timingSafeEqual(hashOf(secret), kept.hash)) return undefined;
        const { revokedAt, expiresAt } = kept.key;
        const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= now().getTime();
        return revokedAt !== undefined || isOver ? undefined : kept.key;
      }),
  };
}

/** Reads the file again only when it changed. */
function createLoader(file: LinesFile): () => ReadonlyMap<string, Kept> {
  let lines: readonly string[] = [];
  let keys = new Map<string, Kept>();
  return () => {
    const found = file.read();
    if (found !== lines) {
      keys = new Map();
      for (const line of found) apply(keys, line);
      lines = found;
    }
    return keys;
  };
}

function apply(keys: Map<string, Kept>, text: string): void {
  const line = parse(text);
  if (line === undefined) return;
  if ('made' in line) {
    keys.set(line.made.id, { key: line.made, hash: Buffer.from(line.hash, 'hex') });
    return;
  }
  const kept = keys.get(line.revoked);
  if (kept !== undefined && kept.key.revokedAt === undefined)
    keys.set(line.revoked, { ...kept, key: { ...kept.key, revokedAt: line.at } });
}

/** A line that a crash cut short is of a key nobody was shown, or of a revocation that was not acknowledged. */
function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function append(file: LinesFile, line: Line): void {
  file.append(JSON.stringify(line));
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function check({ principal, scopes: wanted, expiresAt }: NewApiKey): void {
  if (!/^[\x21-\x7e]{1,128}$/.test(principal))
    throw invalid(`The principal must be 1 to 128 printable characters without spaces, found '${principal}'`);
  const unknown = wanted.find((scope) => !isScope(scope));
  if (unknown !== undefined || wanted.length === 0)
    throw invalid(
      `Scopes are ${scopes.join(', ')}; found ${unknown === undefined ? 'none' : `'${String(unknown)}'`}`,
    );
  if (expiresAt !== undefined && Number.isNaN(Date.parse(expiresAt)))
    throw invalid(`The time a key expires must be a date such as 2030-01-31, found '${expiresAt}'`);
}

function invalid(message: string): WorkflowError {
  return new WorkflowError('INVALID_PARAMS', message);
}

function guarded<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof WorkflowError ? error : stateFileError('The API keys', error);
  }
}
