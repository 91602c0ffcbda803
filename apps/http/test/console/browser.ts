import type { RunsPage } from '@workflowlookup/console/contract';
import type { TestService } from '../service.ts';

/** What a browser does with the console: it keeps the cookie and says where its requests come from. */
export interface Browser {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** The answer of a route, as JSON. */
  read<Answer>(path: string): Promise<Answer>;
  /** As `send`, the answer as JSON. */
  write<Answer>(method: string, path: string, body: unknown): Promise<Answer>;
  /** The cookie it has now. */
  cookie(): string;
}

/** Opens a browser at a server; nobody is signed in. */
export function openBrowser({ fetch }: Pick<TestService, 'fetch'>): Browser {
  let cookie = '';

  async function request(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`/console/api${path}`, {
      ...init,
      headers: { ...(cookie !== '' && { cookie }), 'sec-fetch-site': 'same-origin', ...init.headers },
    });
    const [given = ''] = response.headers.getSetCookie();
    if (given !== '') cookie = given.split(';', 1)[0] ?? '';
    return response;
  }

  const browser: Browser = {
    cookie: () => cookie,
    get: (path, headers) => request(path, { headers: headers ?? {} }),
    send: (method, path, body) =>
      request(path, {
        method,
        headers: { 'content-type': 'application/json', 'x-workflowlookup-console': '1' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    read: async (path) => (await (await browser.get(path)).json()) as never,
    write: async (method, path, body) => (await (await browser.send(method, path, body)).json()) as never,
  };
  return browser;
}

/** Opens a browser in which the user of this machine signed in by the address that the server printed. */
export async function openLocalBrowser(service: TestService): Promise<Browser> {
  const browser = openBrowser(service);
  const secret = service.service.consolePath?.split('#sign-in=')[1];
  await browser.send('POST', '/sign-in', { secret });
  return browser;
}

/** Opens a browser in which somebody signed in with an API key. */
export async function openKeyBrowser(service: TestService, key: string): Promise<Browser> {
  const browser = openBrowser(service);
  await browser.send('POST', '/sign-in', { key });
  return browser;
}

/** The ids of the runs that a browser is shown. */
export async function sidsIn(browser: Browser, query = ''): Promise<readonly string[]> {
  const { runs } = await browser.read<RunsPage>(`/runs${query}`);
  return runs.map(({ sid }) => sid);
}
