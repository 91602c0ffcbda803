/** What a client without the right credential is told. */
interface ChallengeFacts {
  readonly error?: 'invalid_token' | 'insufficient_scope';
  readonly reason?: string;
  /** All scopes the request takes. */
  readonly scope: string;
}

/** Makes the responses that ask for a credential. */
export interface Challenge {
  /** 401: nobody is known. */
  unauthorized(facts: ChallengeFacts): Response;
  /** 403: somebody is, and may not. */
  forbidden(facts: ChallengeFacts): Response;
}

/** Makes them; `metadataUrl` is where clients learn of authorization servers (RFC 9728). */
export function createChallenge(metadataUrl?: string): Challenge {
  const respond = (status: number, { error, reason, scope }: ChallengeFacts): Response => {
    const parts = {
      realm: 'workflowlookup',
      ...(error !== undefined && { error }),
      ...(reason !== undefined && { error_description: reason }),
      scope,
      ...(metadataUrl !== undefined && { resource_metadata: metadataUrl }),
    };
    const header = Object.entries(parts).map(([name, value]) => `${name}="${value.replaceAll('"', "'")}"`);
    return Response.json(
      { error: error ?? 'unauthorized', ...(reason !== undefined && { error_description: reason }) },
      { status, headers: { 'www-authenticate': `Bearer ${header.join(', ')}`, 'cache-control': 'no-store' } },
    );
  };
  return {
    unauthorized: (facts) => respond(401, facts),
    forbidden: (facts) => respond(403, facts),
  };
}
