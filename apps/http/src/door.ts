import type { AuditLog } from '@workflowlookup/host';
import type { HttpHandler, Visitor } from '@workflowlookup/mcp/http';
import { authenticate, bearerOf } from './auth/authenticate.ts';
import type { Challenge } from './auth/challenge.ts';
import type { Identity, Verifier } from './auth/identity.ts';
import { credentialOf, personOf } from './auth/identity.ts';
import { mayCall } from './auth/scopes-of-tool.ts';
import { bytesSaid, callsInBody } from './guards/body-cost.ts';
import type { FailedCredentials } from './guards/failed-credentials.ts';
import { createKnownCredentials } from './guards/known-credentials.ts';
import type { RateLimit } from './guards/rate-limit.ts';
import type { Share } from './guards/share.ts';
import type { ExtraHeaders } from './with-headers.ts';
import { withHeaders } from './with-headers.ts';

/** The way into guarded routes. */
export interface Door {
  /** Serves `/mcp` to whom it may be served; every response carries these headers besides. */
  serve(request: Request, headers: ExtraHeaders): Promise<Response>;
  /**
   * Serves something else to everybody who may read, and while credentials can't be looked up, to those who could lately:
   * what a server measures is wanted most during an outage.
   */
  enter(request: Request, work: (who: Identity) => Promise<Response>): Promise<Response>;
}

/** What the door is made of. */
export interface DoorParts {
  readonly handler: HttpHandler;
  /** Empty: everybody is the one user of this machine. */
  readonly verifiers: readonly Verifier[];
  readonly challenge: Challenge;
  readonly failed: FailedCredentials;
  readonly rate: RateLimit;
  readonly share: Share;
  readonly audit: AuditLog;
  /** Told of failures that are not the caller's. */
  onError(error: unknown): void;
}

/** The one user of this machine: the same as over stdio, whose gates are answered elsewhere. */
const localUser: Identity = { principal: 'local', scopes: new Set(['read', 'write']) };

/** Makes the door. */
export function createDoor(parts: DoorParts): Door {
  const { handler, verifiers, challenge, failed, rate, share, audit, onError } = parts;
  const known = createKnownCredentials();
  async function identify(request: Request, mayRemember: boolean): Promise<Identity | Response> {
    const credential = bearerOf(request) ?? request.headers.get('authorization') ?? '';
    const waitSeconds = failed.wait(request, credential);
    if (waitSeconds > 0) return tooMany(waitSeconds);
    const found = await authenticate(request, verifiers).catch((error: unknown) => {
      onError(error);
      return undefined;
    });
    const remembered = found === undefined && mayRemember ? known.get(credential) : undefined;
    if (remembered !== undefined) return remembered;
    if (found === undefined)
      return Response.json(
        { error: 'authentication_unavailable' },
        { status: 503, headers: { 'retry-after': '5' } },
      );
    if ('identity' in found) {
      known.add(credential, found.identity);
      return found.identity;
    }
    if ('missing' in found) return challenge.unauthorized({ scope: 'read write' });
    const until = failed.count(request, credential, found.isOver);
    if (until > 0) return tooMany(until);
    // A 429 is not recorded, so nobody can fill the audit log by sending wrong credentials.
    const target = found.key === undefined ? {} : { key: found.key };
    audit.record({ action: 'authenticate', outcome: 'refused', code: 'invalid_token', ...target });
    return challenge.unauthorized({ error: 'invalid_token', reason: found.reason, scope: 'read write' });
  }

  function lacking(scope: string, via?: string): Response {
    const code = 'insufficient_scope';
    audit.record({ action: 'call', outcome: 'refused', code, ...(via !== undefined && { via }) });
    return challenge.forbidden({ error: code, reason: `The credential lacks one of: ${scope}`, scope });
  }

  /** Counts a body as calls, besides so many. */
  function chargeBody(principal: string, bytes: number, calls = 0): Response | undefined {
    const ofBody = callsInBody(bytes, rate);
    const waitSeconds = rate.take(principal, calls + ofBody);
    if (waitSeconds === 0) return undefined;
    return tooMany(
      waitSeconds,
      ofBody > 0 ? `A body of ${bytes} bytes counts as ${ofBody} calls` : undefined,
    );
  }

  /** Who a request comes from, where that one may read now; else the refusal. */
  async function admit(request: Request, mayRemember = false): Promise<Identity | Response> {
    const who = verifiers.length === 0 ? localUser : await identify(request, mayRemember);
    if (who instanceof Response) return who;
    audit.note({ principal: who.principal, ...(who.key !== undefined && { key: who.key }) });
    // A body that says how long it is, is refused unread.
    const refused = chargeBody(who.principal, bytesSaid(request) ?? 0, 1);
    if (refused !== undefined) return refused;
    return who.scopes.has('read') ? who : lacking('read');
  }

  /** Counts the calls of a batch beyond the first, which the request itself was: all of them, or none and it is refused. */
  function charge(principal: string, calls: number, more: (count: number) => boolean): Response | undefined {
    const beyond = calls - 1;
    if (beyond > rate.burst)
      return tooMany(
        1,
        `A batch of ${calls} calls is more than the ${rate.burst} calls that may come at once`,
      );
    if (!more(beyond)) return tooMany(1, `A batch of ${calls} calls is more than may be under way at once`);
    const waitSeconds = rate.take(principal, beyond);
    return waitSeconds > 0 ? tooMany(waitSeconds, `A batch counts as its ${calls} calls`) : undefined;
  }

  return {
    async enter(request, work) {
      const who = await admit(request, true);
      if (who instanceof Response) return who;
      return (await share.run(who.principal, () => work(who))) ?? tooMany(1);
    },
    async serve(request, headers) {
      const who = await admit(request);
      if (who instanceof Response) return withHeaders(who, headers);
      const { principal, scopes } = who;
      const visitor: Visitor = {
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
      return share.run(principal, serve) ?? withHeaders(tooMany(1), headers);
    },
  };
}

/** Whose sessions a request works on, and whether it may answer as a person. */
function callerOf(who: Identity): Visitor['caller'] {
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

function tooMany(waitSeconds: number, reason?: string): Response {
  const headers = { 'retry-after': String(waitSeconds) };
  const body = { error: 'too_many_requests', ...(reason !== undefined && { error_description: reason }) };
  return Response.json(body, { status: 429, headers });
}
