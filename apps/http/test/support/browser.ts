import type { NewSession, SessionsReply, SignInRequest } from '@workflowlookup/console/contract';
import type { TestService } from './service.ts';
import { bearer } from './service.ts';

/** What a page of the console does in a browser: it keeps the session token and sends it; the browser states where requests come from. */
export interface Browser {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** The answer of a route, as JSON. */
  read<Answer>(path: string): Promise<Answer>;
  /** As `send`, the answer as JSON. */
  write<Answer>(method: string, path: string, body: unknown): Promise<Answer>;
  /** The session token it has now; empty while nobody is signed in. */
  token(): string;
  /** Signs in; whether that worked is in the status. */
  signIn(credential: SignInRequest): Promise<Response>;
}

/** Opens a browser at a server; nobody is signed in. */
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

/** What a new link to the console signs in with; empty where it has nothing. */
export function linkSecret({ service }: TestService): string {
  return service.consoleLink()?.split('#sign-in=')[1] ?? '';
}

/** Opens a browser in which the user of this machine signed in by the address that the server printed. */
export async function openLocalBrowser(service: TestService): Promise<Browser> {
  const browser = openBrowser(service);
  await browser.signIn({ secret: linkSecret(service) });
  return browser;
}

/** Opens a browser in which somebody signed in with an API key. */
export async function openKeyBrowser(service: TestService, key: string): Promise<Browser> {
  const browser = openBrowser(service);
  await browser.signIn({ key });
  return browser;
}

/** The ids of the sessions that a browser is shown. */
export async function sidsIn(browser: Browser, query = ''): Promise<readonly string[]> {
  const { sessions } = await browser.read<SessionsReply>(`/sessions${query}`);
  return sessions.map(({ sid }) => sid);
}
