import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { hasSignInToken, textParams, toQueryString } from './api/client.ts';
import {
  catalogueQuery,
  checkpointsQuery,
  checksQuery,
  healthQuery,
  insightsQuery,
  journalQuery,
  sessionQuery,
  sessionsQuery,
  workflowQuery,
} from './api/queries.ts';
import { InboxPage, readInboxSearch } from './checkpoints/inbox-page.tsx';
import { HealthPage } from './health-page.tsx';
import { insightsFilterOf, readInsightsSearch } from './insights/insights-search.ts';
import { readSessionsSearch, sessionsFilterOf, SessionsPage } from './sessions/sessions-page.tsx';
import { NotFound, PageFailure } from './shell/page.tsx';
import { Shell } from './shell/shell.tsx';
import { readCatalogueSearch, CataloguePage } from './workflows/catalogue-page.tsx';

/** What the loaders of routes need. */
interface RouterContext {
  readonly client: QueryClient;
}

/**
 * A loader that starts the requests of a page together with the request for the user and the code of the page. It waits
 * for none of them: the page shows what is loading.
 */
const early =
  <Given,>(start: (client: QueryClient, given: Given) => unknown) =>
  ({ context, ...given }: { readonly context: RouterContext } & Given): void => {
    if (hasSignInToken()) void start(context.client, given as Given);
  };

const root = createRootRouteWithContext<RouterContext>()({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: PageFailure,
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/checkpoints', replace: true });
  },
});

const checkpoints = createRoute({
  getParentRoute: () => root,
  path: '/checkpoints',
  validateSearch: readInboxSearch,
  loader: early((client) => client.prefetchQuery(checkpointsQuery)),
  component: InboxPage,
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: readSessionsSearch,
  loaderDeps: ({ search }) => ({ search }),
  loader: early<{ readonly deps: { readonly search: ReturnType<typeof readSessionsSearch> } }>(
    (client, { deps }) =>
      client.prefetchInfiniteQuery(sessionsQuery(sessionsFilterOf(deps.search, Date.now()))),
  ),
  component: SessionsPage,
});

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sid',
  validateSearch: ({ tab, show, activity, to }) => textParams({ tab, show, activity, to }),
  loaderDeps: ({ search: { tab } }) => ({ tab }),
  loader: early<{
    readonly params: { readonly sid: string };
    readonly deps: { readonly tab?: string | undefined };
  }>((client, { params: { sid }, deps: { tab } }) => {
    void client.prefetchQuery(sessionQuery(sid));
    if (tab === 'timeline') void client.prefetchInfiniteQuery(journalQuery(sid));
  }),
  component: lazyRouteComponent(() => import('./sessions/session-page.tsx'), 'SessionPage'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: ({ a, b }) => textParams({ a, b }),
  component: lazyRouteComponent(() => import('./sessions/compare-page.tsx'), 'ComparePage'),
});

const catalogue = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  validateSearch: readCatalogueSearch,
  loader: early((client) => client.prefetchQuery(catalogueQuery)),
  component: CataloguePage,
});

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$id',
  validateSearch: ({ tab, at }) => textParams({ tab, at }),
  loader: early<{ readonly params: { readonly id: string } }>((client, { params }) =>
    client.prefetchQuery(workflowQuery(params.id)),
  ),
  component: lazyRouteComponent(() => import('./workflows/workflow-page.tsx'), 'WorkflowPage'),
});

const editor = createRoute({
  getParentRoute: () => root,
  path: '/edit',
  // Without a file the page creates a new one. `at` is the JSON pointer of what to edit.
  validateSearch: ({ source, file, at }) => textParams({ source, file, at }),
  component: lazyRouteComponent(() => import('./editor/definition-editor.tsx'), 'EditorPage'),
});

const judge = createRoute({
  getParentRoute: () => root,
  path: '/judge',
  component: lazyRouteComponent(() => import('./workflows/criteria-page.tsx'), 'CriteriaPage'),
});

const checks = createRoute({
  getParentRoute: () => root,
  path: '/checks',
  validateSearch: ({ folder }) => textParams({ folder }),
  loader: early((client) => client.prefetchQuery(checksQuery)),
  component: lazyRouteComponent(() => import('./workflows/checks-page.tsx'), 'ChecksPage'),
});

const insights = createRoute({
  getParentRoute: () => root,
  path: '/insights',
  validateSearch: readInsightsSearch,
  loaderDeps: ({ search }) => ({ search }),
  loader: early<{ readonly deps: { readonly search: ReturnType<typeof readInsightsSearch> } }>(
    (client, { deps }) => client.prefetchQuery(insightsQuery(insightsFilterOf(deps.search, Date.now()))),
  ),
  component: lazyRouteComponent(() => import('./insights/insights-page.tsx'), 'InsightsPage'),
});

const health = createRoute({
  getParentRoute: () => root,
  path: '/health',
  loader: early((client) => client.prefetchQuery(healthQuery)),
  component: HealthPage,
});

/** The routes of the console. The URL has the full state of a page, so that users can share it. */
export const router = createRouter({
  // The provider of the router sets it.
  context: undefined as unknown as RouterContext,
  routeTree: root.addChildren([
    home,
    checkpoints,
    sessions,
    session,
    compare,
    catalogue,
    workflow,
    editor,
    judge,
    checks,
    insights,
    health,
  ]),
  basepath: '/console',
  defaultPreload: false,
  scrollRestoration: true,
  // Search parameters are plain strings.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: toQueryString,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** The definition file that was just saved, for the page of its workflow. */
    readonly saved?: { readonly source: string; readonly file: string; readonly isUndone?: true };
  }
}
