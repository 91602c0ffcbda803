import { once } from 'node:events';
import type { Scope, AuditLog, Host } from '@workflowlookup/host';
import { openApiKeys } from '@workflowlookup/host';
import type { Tool, Log } from '@workflowlookup/mcp';
import type { HttpHandler, RequestSender } from '@workflowlookup/mcp/http';
import { LRUCache } from 'lru-cache';
import type { FailedCredentials, RateLimit, Share } from '../guards.ts';
import { bytesSaid, callsInBody, createRateLimit, createShare, hashOf } from '../guards.ts';
import { credentialMessages, limitMessages } from '../messages.ts';
import type { NetworkOptions } from '../options.ts';
import { createApiKeyVerifier, createOAuthVerifier } from './verifiers.ts';

/** The sender of a request and their scopes. */
export interface Identity {
  readonly principal: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The id of the API key, if the credential is one. */
  readonly key?: string;
  /** The OAuth client that an access token was issued to. All tokens that name no client share one value. */
  readonly client?: string;
}

/**
 * Returns what distinguishes the credentials of one principal: the id of an API key, or the client that a token was
 * issued to. It contains no secret. Returns `undefined` if the server requires no credentials.
 */
export function credentialOf({ key, client }: Pick<Identity, 'key' | 'client'>): string | undefined {
  if (key !== undefined) return `key:${key}`;
  return client === undefined ? undefined : `client:${client}`;
}

/**
 * Returns the name that is recorded with answers. It names the API key, because several people may have keys of one
 * principal.
 */
export function personOf({ principal, key }: Pick<Identity, 'principal' | 'key'>): string {
  return key === undefined ? principal : `${principal} (key ${key})`;
}

export type Verdict =
  | { readonly kind: 'known'; readonly identity: Identity }
  /** The verifier does not handle this kind of credential. */
  | { readonly kind: 'unknown' }
  /** The credential can't be checked yet, for example because the keys of its issuer are not available. */
  | { readonly kind: 'unsettled' }
  /**
   * The credential is not accepted, and its sender may see the reason. `isOver`: its sender is not guessing, because the
   * credential was valid once or the database has its hash.
   */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly isOver?: true;
      /** The id of the API key, if the credential is a known one. */
      readonly key?: string;
    };

/** Identifies the sender of a bearer credential. */
export type Verifier = (credential: string) => Promise<Verdict>;

/** Identifies the sender of a request by the `Authorization` header alone. */
export async function authenticate(
  request: Request,
  verifiers: readonly Verifier[],
): Promise<Exclude<Verdict, { readonly kind: 'unknown' }> | { readonly kind: 'missing' }> {
  if (!request.headers.has('authorization')) return { kind: 'missing' };
  const credential = bearerOf(request);
  if (credential === undefined) return { kind: 'refused', reason: credentialMessages.notOneBearer() };
  for (const verify of verifiers) {
    const verdict = await verify(credential);
    if (verdict.kind !== 'unknown') return verdict;
  }
  return { kind: 'refused', reason: credentialMessages.unknown() };
}

/** Returns the bearer credential of a request; `undefined` if the header is missing or has any other form. */
function bearerOf(request: Request): string | undefined {
  return /^Bearer ([\w.~+/-]+=*)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

/** The tools for answering a checkpoint. The scope `checkpoints:respond` is enough to call them. */
const answering: ReadonlySet<string> = new Set(['present_checkpoint', 'respond_checkpoint']);

/** Returns whether a credential with these scopes may call a tool. Every request also requires `read`. */
function mayCall({ name, annotations }: Tool, scopes: ReadonlySet<Scope>): boolean {
  if (annotations.readOnlyHint || scopes.has('write')) return true;
  return answering.has(name) && scopes.has('checkpoints:respond');
}

/** Headers to add to a response. */
export type ExtraHeaders = Readonly<Record<string, string>>;

export function withHeaders(response: Response, extra: ExtraHeaders): Response {
  for (const [name, value] of Object.entries(extra)) response.headers.set(name, value);
  return response;
}

/** Authentication and rate limits of the guarded routes. */
export interface Authentication {
  /** Serves `/mcp` to clients with a valid credential, and adds these headers to every response. */
  serve(request: Request, headers: ExtraHeaders): Promise<Response>;
  /**
   * Runs `work` for a sender with the scope `read`. `mayRemember`: while credentials can't be looked up, it also accepts
   * those that were valid within the last hour.
   */
  enter(
    request: Request,
    work: (who: Identity) => Promise<Response>,
    mayRemember?: boolean,
  ): Promise<Response>;
}

interface AuthenticationParts {
  readonly handler: HttpHandler;
  /** If empty, every request acts as the local user. */
  readonly verifiers: readonly Verifier[];
  /** The authorization server, if one issues credentials. */
  readonly oauth?: NetworkOptions['oauth'] | undefined;
  readonly failed: FailedCredentials;
  readonly rate: RateLimit;
  readonly share: Share;
  readonly audit: AuditLog;
  /** Called with errors that the caller did not cause. */
  onError(error: unknown): void;
}

/** The one user of this machine. As over stdio, this user has no right to answer checkpoints. */
const localUser: Identity = { principal: 'local', scopes: new Set(['read', 'write']) };

export function createAuthentication(parts: AuthenticationParts): Authentication {
  const { handler, verifiers, oauth, failed, rate, share, audit, onError } = parts;
  /** Accepted credentials of the last hour, by their hash. */
  const known = new LRUCache<string, Identity>({ max: 1_000, ttl: 3_600_000 });

  async function identify(request: Request, mayRemember: boolean): Promise<Identity | Response> {
    const credential = bearerOf(request) ?? request.headers.get('authorization') ?? '';
    const waitSeconds = failed.wait(request, credential);
    if (waitSeconds > 0) return tooMany(waitSeconds);
    const found = await authenticate(request, verifiers).catch((error: unknown) => {
      onError(error);
      return { kind: 'unsettled' } as const;
    });
    switch (found.kind) {
      case 'known':
        known.set(hashOf(credential), found.identity);
        return found.identity;
      case 'unsettled':
        return (mayRemember ? known.get(hashOf(credential)) : undefined) ?? unavailable();
      case 'missing':
        return challenge(401, 'read write');
      case 'refused': {
        known.delete(hashOf(credential));
        const until = failed.count(request, credential, found.isOver);
        // A 429 is not recorded, so nobody can fill the audit log by sending wrong credentials.
        return until > 0 ? tooMany(until) : invalidToken(found.reason, found.key);
      }
    }
  }

  function invalidToken(reason: string, key?: string): Response {
    const error = 'invalid_token';
    audit.record({
      action: 'authenticate',
      outcome: 'refused',
      code: error,
      ...(key !== undefined && { key }),
    });
    return challenge(401, 'read write', { error, reason });
  }

  function lacking(scope: string, via?: string): Response {
    const error = 'insufficient_scope';
    audit.record({ action: 'call', outcome: 'refused', code: error, ...(via !== undefined && { via }) });
    return challenge(403, scope, { error, reason: credentialMessages.lacksScope(scope) });
  }

  /**
   * Returns the response that refuses a credential: 401 if it is not valid, and 403 if it lacks a scope. `scope` has all
   * scopes that the request requires.
   */
  function challenge(
    status: 401 | 403,
    scope: string,
    why?: { readonly error: string; readonly reason: string },
  ): Response {
    const facts = why && { error: why.error, error_description: why.reason };
    const metadata = oauth && { resource_metadata: metadataUrl(oauth.resource) };
    const fields = { realm: 'workflowlookup', ...facts, scope, ...metadata };
    const header = Object.entries(fields).map(([name, value]) => `${name}="${value.replaceAll('"', "'")}"`);
    return Response.json(facts ?? { error: 'unauthorized' }, {
      status,
      headers: { 'www-authenticate': `Bearer ${header.join(', ')}`, 'cache-control': 'no-store' },
    });
  }

  /** Counts a large body as several calls. */
  function chargeBody(principal: string, bytes: number, calls = 0): Response | undefined {
    const ofBody = callsInBody(bytes, rate);
    const waitSeconds = rate.take(principal, calls + ofBody);
    if (waitSeconds === 0) return undefined;
    return tooMany(waitSeconds, ofBody > 0 ? limitMessages.largeBody(bytes, ofBody) : undefined);
  }

  /** Returns the identity of a request that may read, or the response that refuses it. */
  async function admit(request: Request, mayRemember = false): Promise<Identity | Response> {
    const who = verifiers.length === 0 ? localUser : await identify(request, mayRemember);
    if (who instanceof Response) return who;
    if (audit.isOn) audit.note({ principal: who.principal, ...(who.key !== undefined && { key: who.key }) });
    // If the request declares the size of its body, it can be refused before the body is read.
    const refused = chargeBody(who.principal, bytesSaid(request) ?? 0, 1);
    if (refused !== undefined) return refused;
    return who.scopes.has('read') ? who : lacking('read');
  }

  /** Checks the credential again. If the check itself fails, a sender who was accepted before stays accepted. */
  async function isStillValid(request: Request): Promise<boolean> {
    const found = await authenticate(request, verifiers).catch(() => undefined);
    return found === undefined || found.kind === 'known' || found.kind === 'unsettled';
  }

  /**
   * Counts the calls of a batch except the first, which was counted with the request. If they don't all fit into the
   * limits, the batch is refused.
   */
  function charge(principal: string, calls: number, more: (count: number) => boolean): Response | undefined {
    const beyond = calls - 1;
    if (beyond > rate.burst) return tooMany(1, limitMessages.batchOverBurst(calls, rate.burst));
    if (!more(beyond)) return tooMany(1, limitMessages.batchOverShare(calls));
    const waitSeconds = rate.take(principal, beyond);
    return waitSeconds > 0 ? tooMany(waitSeconds, limitMessages.batchOverRate(calls)) : undefined;
  }

  return {
    async enter(request, work, mayRemember) {
      const who = await admit(request, mayRemember);
      if (who instanceof Response) return who;
      return (await share.run(who.principal, () => work(who))) ?? tooMany(1);
    },
    async serve(request, headers) {
      const who = await admit(request);
      if (who instanceof Response) return withHeaders(who, headers);
      const { principal, scopes } = who;
      const visitor: RequestSender = {
        caller: callerOf(who),
        refuse: (tool) => (mayCall(tool, scopes) ? undefined : lacking('read write', tool.name)),
        headers,
      };
      const serve = (more: (count: number) => boolean): Promise<Response> =>
        handler.fetch(request, {
          ...visitor,
          charge: (calls) => charge(principal, calls, more),
          ...(bytesSaid(request) === undefined && { chargeBody: (bytes) => chargeBody(principal, bytes) }),
        });
      const served = share.run(principal, serve);
      if (served === undefined) return withHeaders(tooMany(1), headers);
      if (verifiers.length === 0) return served;
      const found = await whileValid(served, () => isStillValid(request));
      return found ?? withHeaders(invalidToken(credentialMessages.overMeanwhile()), headers);
    },
  };
}

/** Returns the caller: the principal whose sessions the request can use, and whether it may answer checkpoints. */
function callerOf(who: Identity): RequestSender['caller'] {
  const { principal, scopes } = who;
  const credential = credentialOf(who);
  const mayRespond = scopes.has('checkpoints:respond');
  return {
    principal,
    mayRespond,
    ...(mayRespond && { person: personOf(who) }),
    ...(credential !== undefined && { credential }),
  };
}

function unavailable(): Response {
  const headers = { 'retry-after': '5' };
  return Response.json({ error: 'authentication_unavailable' }, { status: 503, headers });
}

function tooMany(waitSeconds: number, reason?: string): Response {
  const headers = { 'retry-after': String(waitSeconds) };
  const body = { error: 'too_many_requests', ...(reason !== undefined && { error_description: reason }) };
  return Response.json(body, { status: 429, headers });
}

/** The burst that a principal may send after a pause, as seconds of its rate. */
const burstSeconds = 3;

/** The verifiers and limits shared by `/mcp` and the console. */
interface Guards extends Pick<AuthenticationParts, 'verifiers' | 'rate' | 'share'> {
  /** The one of the verifiers that checks API keys; absent if the server accepts none. */
  readonly verifyKey?: Verifier | undefined;
}

/** Returns the share of a limit for one principal: a quarter, or all of it if the server has only one principal. */
export function shareOf({ keys, oauth }: Pick<NetworkOptions, 'keys' | 'oauth'>, all: number): number {
  return keys || oauth !== undefined ? Math.ceil(all / 4) : all;
}

export function createGuards(network: NetworkOptions, access: Host['access'], log: Log): Guards {
  const { rateLimit, maxRequests, keys, oauth } = network;
  const verifyKey = keys ? createApiKeyVerifier(openApiKeys(access), log) : undefined;
  return {
    verifyKey,
    verifiers: [...(verifyKey ? [verifyKey] : []), ...(oauth ? [createOAuthVerifier(oauth)] : [])],
    rate: createRateLimit({ perSecond: rateLimit, burst: rateLimit * burstSeconds }),
    share: createShare(shareOf(network, maxRequests)),
  };
}

/** The path of the document below, by the rule of RFC 9728 for a resource with a path. */
function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}

/** The document in which clients find the authorization server (RFC 9728). */
export function resourceMetadata({ issuer, resource }: NonNullable<NetworkOptions['oauth']>): object {
  return {
    resource,
    authorization_servers: [issuer],
    // Clients ask for every scope they find here. An agent's client must not hold the right to answer for people.
    scopes_supported: ['read', 'write'],
    bearer_methods_supported: ['header'],
    resource_name: 'workflowlookup',
  };
}

/** How often the credential is checked again while a call waits or a stream is open. */
const checkMs = 2_000;

/**
 * Returns the response, or `undefined` if the credential is revoked or expires before the response is ready. If that
 * happens while an event stream is open, the stream ends.
 */
async function whileValid(
  response: Promise<Response>,
  isValid: () => Promise<boolean>,
): Promise<Response | undefined> {
  const over = new AbortController();
  const check = async (): Promise<void> => {
    if (!(await isValid())) over.abort();
  };
  const timer = setInterval(() => void check(), checkMs).unref();
  const stop = (): void => clearInterval(timer);
  const refused = once(over.signal, 'abort').then(stop);
  try {
    const found = await Promise.race([response, refused]);
    if (found === undefined) {
      // Nobody reads the late reply, so a stream in it must not stay open.
      response.then((late) => late.body?.cancel()).catch(() => undefined);
      return undefined;
    }
    const { body, headers, status } = found;
    if (body !== null && headers.get('content-type')?.startsWith('text/event-stream') === true)
      return new Response(endedBy(over.signal, body, stop), { status, headers });
    stop();
    return found;
  } catch (error) {
    stop();
    throw error;
  }
}

/** Returns the same stream, which also ends when the signal fires. Calls `onEnd` at its end. */
function endedBy(
  signal: AbortSignal,
  body: ReadableStream<Uint8Array>,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    start() {
      signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done && !signal.aborted) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
}
