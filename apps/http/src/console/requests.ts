import type { ApiError } from '@workflowlookup/console/contract';
import type { Operator } from '@workflowlookup/core/operator';
import type { Host } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';
import { describeError } from '@workflowlookup/mcp';
import type { HttpCounts } from '@workflowlookup/mcp/http';
import { WorkflowError, errorCodes, hasMoreValues, parseJson } from '@workflowlookup/schema';
import type { Context, MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { Verifier } from '../auth/authentication.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { FailedCredentials, RateLimit, Share } from '../guards.ts';
import { requestMessages } from '../messages.ts';
import type { NetworkOptions } from '../options.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { SignedInUser } from './account/accounts.ts';

export interface ConsoleParts {
  readonly host: Host;
  readonly feed: ChangeFeed;
  readonly network: NetworkOptions;
  readonly version: string;
  /** Empty for a server without credentials, where the user of this machine signs in with a link. */
  readonly verifiers: readonly Verifier[];
  readonly verifyKey?: Verifier | undefined;
  readonly failed: FailedCredentials;
  readonly rate: RateLimit;
  readonly share: Share;
  readonly metrics: Pick<Metrics, 'summary'>;
  clients(): HttpCounts;
  isDraining(): boolean;
  /** The folder of the built pages; default that of the installed package. */
  readonly pages?: string | undefined;
  readonly log: Log;
}

/** The routes of the console, and how to end its streams. */
export interface Console {
  fetch(request: Request): Promise<Response>;
  /** Ends the streams that pages read. */
  drain(): void;
}

/** The variables of a request in the routes for users who are signed in. */
export interface ConsoleEnv {
  readonly Variables: {
    readonly signed: SignedInUser;
    /** Over the sessions they may see. */
    readonly operator: Operator;
  };
}

/** A request of a user who is signed in. */
export interface UserRequest extends Readonly<ConsoleEnv['Variables']> {
  readonly context: Context<ConsoleEnv>;
}

/** The routes of users who are signed in, such as `GET /:sid`. What a route returns is sent as JSON. */
type Routes = Readonly<
  Record<`${'GET' | 'POST' | 'PUT'} /${string}`, (request: UserRequest) => Promise<object>>
>;

/** Creates these routes. Of several that match, the first one answers. */
export function routes(table: Routes): Hono<ConsoleEnv> {
  const hono = new Hono<ConsoleEnv>();
  for (const [name, answer] of Object.entries(table)) {
    const [method = '', path = ''] = name.split(' ');
    hono.on(method, path, async (context) => {
      const answered = await answer({ context, ...context.var });
      return answered instanceof Response ? answered : context.json(answered);
    });
  }
  return hono;
}

export function answerError(
  context: Context,
  error: ApiError,
  status: ContentfulStatusCode = error.code === 'TOO_MANY_REQUESTS' ? 429 : errorCodes[error.code].http,
): Response {
  return context.json(error, status);
}

/**
 * Answers an error that a route threw. A WorkflowError is shown with its code; any other error only goes to the log.
 */
export function answerThrown(context: Context, error: Error, log: Log): Response {
  if (error instanceof WorkflowError) {
    const { code, message, data } = error;
    if (code === 'BUSY') context.header('retry-after', '1');
    return answerError(context, { code, message, ...(Object.keys(data).length > 0 && { data }) });
  }
  log('error', 'failure', describeError(error));
  return answerError(context, { code: 'INTERNAL', message: requestMessages.serverFailed() });
}

/** Returns a 429 response that says how long to wait. */
export function answerTooMany(context: Context, waitSeconds: number): Response {
  context.header('retry-after', String(waitSeconds));
  return answerError(context, {
    code: 'TOO_MANY_REQUESTS',
    message: requestMessages.tooMany(waitSeconds),
  });
}

/** Returns the original request. The body limit replaces some requests with a new one. */
export function requestOf({ env, req }: Context): Request {
  return (env as { readonly asked?: Request } | undefined)?.asked ?? req.raw;
}

/** The maximum size of a body in bytes. A definition of the maximum size fits in, as JSON text. */
export const maxConsoleBytes = 2_097_152;

/**
 * The maximum number of JSON values in a body, as many as in a message of `/mcp`. A definition is sent as text, which is
 * one value.
 */
const maxValues = 20_000;

/** Refuses bodies with more bytes than this. */
export function limitBody(maxBytes: number): MiddlewareHandler {
  const message = requestMessages.bodyTooLarge(maxBytes);
  return bodyLimit({
    maxSize: maxBytes,
    onError: (context) => answerError(context, { code: 'INVALID_INPUT', message, data: { maxBytes } }, 413),
  });
}

/** The maximum nesting depth of a body, as for messages to `/mcp`. */
const deepest = 256;

/**
 * Returns the body of a request if it has this shape. @throws WorkflowError INVALID_INPUT; TOO_COSTLY if it has too
 * many values
 */
export async function readBody<Shape extends z.ZodType>(
  context: Context,
  shape: Shape,
): Promise<z.infer<Shape>> {
  const text = await context.req.text();
  if (hasMoreValues(text, maxValues))
    throw new WorkflowError('TOO_COSTLY', requestMessages.tooManyValues(maxValues), {
      data: { max_values: maxValues },
    });
  // No body has the shape of a text that is not JSON.
  const body = parseJson(text);
  if (isDeeper(body, deepest)) throw new WorkflowError('INVALID_INPUT', requestMessages.bodyTooDeep(deepest));
  return checked(shape, body, 'body');
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

/**
 * Returns the query of a request if it has this shape. Of a repeated parameter, only one value is used. @throws
 * WorkflowError INVALID_INPUT
 */
export function readQuery<Shape extends z.ZodType>(context: Context, shape: Shape): z.infer<Shape> {
  return checked(shape, context.req.query(), 'query');
}

function checked<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  part: 'body' | 'query',
): z.infer<Shape> {
  const { success, data, error } = shape.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  throw new WorkflowError('INVALID_INPUT', requestMessages.notValid(part, path, issue?.message ?? ''));
}

/**
 * Refuses requests that, according to the browser, come from pages of another origin. Without a session token such
 * pages can't act for a user anyway; this also keeps them from trying credentials and from seeing whether one is valid.
 */
export const refuseForeign: MiddlewareHandler = (context, next) => {
  const { headers, url } = context.req.raw;
  const origin = headers.get('origin');
  if (!['same-origin', 'none'].includes(headers.get('sec-fetch-site') ?? 'none'))
    throw new WorkflowError('FORBIDDEN', requestMessages.otherSite());
  if (origin !== null && (!URL.canParse(origin) || new URL(origin).host !== new URL(url).host))
    throw new WorkflowError('FORBIDDEN', requestMessages.otherOrigin());
  return next();
};
