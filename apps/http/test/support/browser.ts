import type { NewSession, SessionsReply, SignInRequest } from '@workflowlookup/console/contract';
import type { TestService } from './service.ts';
import { bearer } from './service.ts';

/** A page of the console in a browser. It keeps the session token and sends it with each request, as same-origin. */
export interface Browser {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** Requests a route with GET, and returns the parsed JSON. */
  read<Answer>(path: string): Promise<Answer>;
  /** Like `send`, but returns the parsed JSON. */
  write<Answer>(method: string, path: string, body: unknown): Promise<Answer>;
  /** The current session token; empty if nobody is signed in. */
  token(): string;
  /** Signs in. The status of the response says whether that succeeded. */
  signIn(credential: SignInRequest): Promise<Response>;
}

/** Opens a browser in which nobody is signed in. */
export function openBrowser({ fetch }: Pick<TestService, 'fetch'>): Browser {
  let token = '';

  async function request(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...(token !== '' && bearer(token)), 'sec-fetch-site': 'same-origin', ...init.headers };
    return fetch(`/console/api${path}`, { ...init, headers });
  }

  const browser: Browser = {
    token: () => token,
    async signIn(credential) {
      const response = await browser.send('POST', '/sign-in', credential);
      if (response.ok) ({ token } = (await response.clone().json()) as NewSession);
      return response;
    },
    get: (path, headers) => request(path, { headers: headers ?? {} }),
    send: (method, path, body) =>
      request(path, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    read: async (path) => (await (await browser.get(path)).json()) as never,
    write: async (method, path, body) => (await (await browser.send(method, path, body)).json()) as never,
  };
  return browser;
}

/** Returns the secret of a new sign-in link; empty if the link has none. */
export function linkSecret({ service }: TestService): string {
  return service.consoleLink()?.split('#sign-in=')[1] ?? '';
}

/** Opens a browser in which the local user has signed in with a sign-in link. */
export async function openLocalBrowser(service: TestService): Promise<Browser> {
  const browser = openBrowser(service);
  await browser.signIn({ secret: linkSecret(service) });
  return browser;
}

/** Opens a browser that is signed in with an API key. */
export async function openKeyBrowser(service: TestService, key: string): Promise<Browser> {
  const browser = openBrowser(service);
  await browser.signIn({ key });
  return browser;
}

/** Returns the ids of the sessions in the list of the console. */
export async function sidsIn(browser: Browser, query = ''): Promise<readonly string[]> {
  const { sessions } = await browser.read<SessionsReply>(`/sessions${query}`);
  return sessions.map(({ sid }) => sid);
}
