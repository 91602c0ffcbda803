import type { ApiError, ConsoleRoutes, CustomHeader } from '../contract.ts';
import { Refusal } from './refusal.ts';
import { searchOf } from './search-of.ts';

/** What a request says beside its route. */
export interface Asking<Name extends keyof ConsoleRoutes> {
  /** For the parts of the path that begin with a colon. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: ConsoleRoutes[Name]['body'];
  readonly signal?: AbortSignal;
}

/** Where the routes stand. */
export const apiRoot = '/console/api';

const customHeader: CustomHeader = 'x-workflowlookup-console';

/** Asks the server. @throws Refusal */
export async function ask<Name extends keyof ConsoleRoutes>(
  name: Name,
  { params = {}, query = {}, body, signal }: Asking<Name> = {},
): Promise<ConsoleRoutes[Name]['answer']> {
  const [method = 'GET', route = ''] = name.split(' ');
  const path = route.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
  const response = await fetch(`${apiRoot}${path}${searchOf(query)}`, {
    method,
    signal: signal ?? null,
    ...(method !== 'GET' && { headers: { [customHeader]: '1', 'content-type': 'application/json' } }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new Refusal(0, {});
  });
  if (!response.ok) throw await refusalOf(response);
  return (response.status === 204 ? undefined : await response.json()) as ConsoleRoutes[Name]['answer'];
}

async function refusalOf(response: Response): Promise<Refusal> {
  const wait = Number(response.headers.get('retry-after') ?? NaN);
  // What stands before the routes answers without a body of ours.
  const said = (await response.json().catch(() => ({}))) as Partial<ApiError>;
  return new Refusal(response.status, said, Number.isFinite(wait) ? wait : undefined);
}
