import type { ApiError, ConsoleRoutes } from '../contract.ts';
import { Refusal } from './refusal.ts';
import { searchOf } from './search-of.ts';
import { sessionHeaders } from './session.ts';

/** What a request says beside its route. */
export interface Asking<Name extends keyof ConsoleRoutes> {
  /** For the parts of the path that begin with a colon. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: ConsoleRoutes[Name]['body'];
  readonly signal?: AbortSignal;
}

const apiRoot = '/console/api';

/** Asks the server. @throws Refusal */
export async function ask<Name extends keyof ConsoleRoutes>(
  name: Name,
  { params = {}, query = {}, body, signal }: Asking<Name> = {},
): Promise<ConsoleRoutes[Name]['answer']> {
  const [method = 'GET', route = ''] = name.split(' ');
  const path = route.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
  const response = await send(`${path}${searchOf(query)}`, {
    method,
    signal: signal ?? null,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return (response.status === 204 ? undefined : await response.json()) as ConsoleRoutes[Name]['answer'];
}

/** Sends a request in the name of whoever is signed in. @throws Refusal */
export async function send(
  path: string,
  { headers, ...init }: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const response = await fetch(`${apiRoot}${path}`, {
    ...init,
    headers: { ...headers, ...sessionHeaders() },
    // The console uses no cookies.
    credentials: 'omit',
  }).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error;
    throw new Refusal(0, {});
  });
  if (!response.ok) throw await refusalOf(response);
  return response;
}

async function refusalOf(response: Response): Promise<Refusal> {
  const wait = Number(response.headers.get('retry-after') ?? NaN);
  // What stands before the routes answers without a body of ours.
  const said = (await response.json().catch(() => ({}))) as Partial<ApiError>;
  return new Refusal(response.status, said, Number.isFinite(wait) ? wait : undefined);
}
