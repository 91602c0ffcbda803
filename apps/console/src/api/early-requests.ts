/**
 * The storage key of the sign-in token. Local storage is limited to this origin, shared by its tabs and kept across
 * reloads. Unlike a cookie, a browser never sends it on its own.
 */
export const tokenKey = 'workflowlookup.session';

export const apiRoot = '/console/api';

const started = new Map<string, Promise<Response>>();
/** A response that nobody took by then is too old. */
const maxAgeMs = 10_000;

/**
 * Starts the requests of the page at an address, while the browser still loads and evaluates the code of the page. The
 * requests are those of `queries.ts`; a test fails if a page sends one of them twice.
 */
export function startEarlyRequests({ pathname, search, hash }: Location): void {
  const token = localStorage.getItem(tokenKey);
  // The link that signs a user in replaces the token.
  if (token === null || hash.startsWith('#sign-in')) return;
  for (const path of ['/me', ...pathsOf(pathname, new URLSearchParams(search))]) start(path, token);
  if (/^\/console\/(checkpoints\/?)?$/.test(pathname)) void startShownCheckpoint(token, search);
}

/** Returns the response of a request that was started early, once. */
export function takeEarly(path: string): Promise<Response> | undefined {
  const response = started.get(path);
  started.delete(path);
  return response;
}

function start(path: string, token: string): void {
  const response = fetch(apiRoot + path, {
    headers: { authorization: `Bearer ${token}` },
    credentials: 'omit',
  });
  // Whoever takes the response handles its failure.
  response.catch(() => undefined);
  started.set(path, response);
  setTimeout(() => started.delete(path), maxAgeMs);
}

/** Returns the paths of the requests of a page, without those that depend on the time. */
function pathsOf(pathname: string, search: URLSearchParams): readonly string[] {
  const [, page = '', id] = /^\/console\/([a-z]*)(?:\/([^/]+))?\/?$/.exec(pathname) ?? [];
  const isTimed = search.has('age');
  switch (page) {
    case '':
    case 'checkpoints':
      return ['/checkpoints'];
    case 'sessions':
      if (id !== undefined)
        return [
          `/sessions/${id}`,
          ...(search.get('tab') === 'timeline' ? [`/sessions/${id}/events?after=0&limit=200`] : []),
        ];
      return isTimed ? [] : [`/sessions?${query(search, sessionFilters, { limit: '100' })}`];
    case 'workflows':
      return [id === undefined ? '/workflows' : `/workflows/${id}`];
    case 'insights': {
      const filter = query(search, ['workflow']);
      return isTimed ? [] : [`/insights${filter === '' ? '' : `?${filter}`}`];
    }
    case 'edit':
      return search.has('file') ? [`/text?${query(search, ['source', 'file'])}`] : [];
    case 'checks':
      return ['/checks'];
    case 'health':
      return ['/health'];
    default:
      return [];
  }
}

/** The parameters of the page of sessions that do not depend on the time. */
export const sessionFilters = ['status', 'workflow', 'agent', 'text', 'search', 'tag', 'parent'] as const;

function query(
  search: URLSearchParams,
  names: readonly string[],
  more: Readonly<Record<string, string>> = {},
): string {
  const given = names.flatMap((name) => {
    const value = search.get(name);
    return value === null || value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams([...given, ...Object.entries(more)]).toString();
}

/** Starts the request for the checkpoint that the inbox shows first: the one in the address, or the longest wait. */
async function startShownCheckpoint(token: string, search: string): Promise<void> {
  const parameters = new URLSearchParams(search);
  const asked = parameters.get('sid');
  if (asked !== null) {
    start(`/checkpoints/${encodeURIComponent(asked)}`, token);
    return;
  }
  // With filters or another order, another checkpoint is shown.
  if (parameters.size > 0) return;
  const response = await started.get('/checkpoints')?.catch(() => undefined);
  if (response?.ok !== true) return;
  const { checkpoints } = (await response.clone().json()) as {
    readonly checkpoints: readonly { readonly sid: string }[];
  };
  const [first] = checkpoints;
  if (first !== undefined) start(`/checkpoints/${encodeURIComponent(first.sid)}`, token);
}
