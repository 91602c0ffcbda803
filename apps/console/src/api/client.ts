import { writeOutHidden } from '@workflowlookup/schema';
import type { ApiError, ConsoleRoutes } from '../contract/index.ts';
import { commonMessages } from '../messages/common.ts';
import { apiRoot, takeEarly, tokenKey } from './early-requests.ts';

/** The parts of a request that its route does not fix. */
interface RequestOptions<Name extends keyof ConsoleRoutes> {
  /** Values for the path segments that start with a colon. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: ConsoleRoutes[Name]['body'];
  readonly signal?: AbortSignal;
  /** The browser delivers the request even if the page is closed. Then nobody can read the response. */
  readonly keepalive?: boolean;
}

/** Calls a JSON route of the console API and returns its response body. @throws RequestError */
export async function callApi<Name extends keyof ConsoleRoutes>(
  name: Name,
  { params = {}, query = {}, body, signal, keepalive = false }: RequestOptions<Name> = {},
): Promise<ConsoleRoutes[Name]['answer']> {
  const [method = 'GET', route = ''] = name.split(' ');
  const path = route.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
  const response = await sendRequest(`${path}${toQueryString(query)}`, {
    method,
    signal: signal ?? null,
    keepalive,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return (response.status === 204 ? undefined : await response.json()) as ConsoleRoutes[Name]['answer'];
}

/** Sends a request with the token of the signed-in user. @throws RequestError */
export async function sendRequest(
  path: string,
  { headers, ...init }: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const early = (init.method ?? 'GET') === 'GET' ? takeEarly(path) : undefined;
  const sent =
    early ??
    fetch(`${apiRoot}${path}`, {
      ...init,
      headers: { ...headers, ...authorizationHeader() },
      // The console uses no cookies.
      credentials: 'omit',
    });
  const response = await sent.catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error;
    throw new RequestError(0, {});
  });
  if (!response.ok) throw await requestErrorOf(response);
  return response;
}

async function requestErrorOf(response: Response): Promise<RequestError> {
  const wait = Number(response.headers.get('retry-after') ?? NaN);
  // Errors raised before routing have no JSON body.
  const said = (await response.json().catch(() => ({}))) as Partial<ApiError>;
  return new RequestError(response.status, said, Number.isFinite(wait) ? wait : undefined);
}

/** A request that failed. The status is 0 if the server could not be reached. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: ApiError['code'] | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  /** How long to wait before a retry, if the server says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, said: Partial<ApiError>, retryAfterSeconds?: number) {
    super(said.message ?? statusMessage(status));
    this.name = 'Refusal';
    this.status = status;
    this.code = said.code;
    this.data = said.data ?? {};
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function statusMessage(status: number): string {
  if (status === 0) return commonMessages.request.unreachable;
  if (status === 503) return commonMessages.request.busy;
  return commonMessages.request.failed(status);
}

/** Returns the query string for a URL, with its leading `?`. It is empty if no parameter has a value. */
export function toQueryString(parameters: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams(textParams(parameters) as Record<string, string>).toString();
  return search === '' ? '' : `?${search}`;
}

/** Returns the parameters whose value is a non-empty string. */
export function textParams<Name extends string>(
  search: Readonly<Partial<Record<Name, unknown>>>,
): { readonly [Key in Name]?: string } {
  const given = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '');
  return Object.fromEntries(given) as { readonly [Key in Name]?: string };
}

/** Returns a function that reads the parameters with these names from the search of an address. */
export function readTextParams<Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { readonly [Key in Name]?: string } => {
    const given = names.map((name) => [name, search[name]] as const);
    return textParams(Object.fromEntries(given) as Record<Name, unknown>);
  };
}

/**
 * Returns a copy of the data with hidden characters replaced by `\u{…}`, in strings and in property names. Agents
 * write most of a session's data, and such characters could change how the page displays the surrounding text.
 */
export function escapeHidden<Value>(data: Value): Value;
export function escapeHidden(data: unknown): unknown {
  if (typeof data === 'string') return writeOutHidden(data);
  if (Array.isArray(data)) return data.map(escapeHidden);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [writeOutHidden(name), escapeHidden(value)]),
  );
}

/** The storage key of the state of an OAuth sign-in. It is limited to the tab that started the sign-in. */
const oauthStateKey = 'workflowlookup.journey';

/** Returns the headers that authenticate a request, or no headers if nobody is signed in. */
function authorizationHeader(): Readonly<Record<string, string>> {
  const token = localStorage.getItem(tokenKey);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/**
 * Returns an identifier of this sign-in: the end of the token. It gives no access by itself, and nobody can know it
 * before the sign-in. It is empty if nobody is signed in.
 */
export function signInId(): string {
  return localStorage.getItem(tokenKey)?.slice(-22) ?? '';
}

/** Stores the sign-in token, or removes it if the token is undefined. */
export function storeSignInToken(token: string | undefined): void {
  if (token === undefined) localStorage.removeItem(tokenKey);
  else localStorage.setItem(tokenKey, token);
}

/** Calls the listener when a user signs in or out in another tab. */
export function onSignInTokenChange(listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === tokenKey || key === null) listener();
  });
}

/** Stores the state of an OAuth sign-in that starts in this tab. */
export function storeOAuthState(journey: string): void {
  sessionStorage.setItem(oauthStateKey, journey);
}

/** Returns the state of the OAuth sign-in and removes it. Returns `undefined` if no sign-in was started in this tab. */
export function takeOAuthState(): string | undefined {
  const journey = sessionStorage.getItem(oauthStateKey) ?? undefined;
  sessionStorage.removeItem(oauthStateKey);
  return journey;
}
