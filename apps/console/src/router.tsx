import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { textParams, toQueryString } from './api/client.ts';
import { InboxPage, readInboxSearch } from './checkpoints/inbox-page.tsx';
import { HealthPage } from './health-page.tsx';
import { readInsightsSearch } from './insights/insights-search.ts';
import { readSessionsSearch, SessionsPage } from './sessions/sessions-page.tsx';
import { NotFound, PageFailure } from './shell/page.tsx';
import { Shell } from './shell/shell.tsx';
import { readCatalogueSearch, CataloguePage } from './workflows/catalogue-page.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageFailure });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/gates', replace: true });
  },
});

const gates = createRoute({
  getParentRoute: () => root,
  path: '/gates',
  validateSearch: readInboxSearch,
  component: InboxPage,
});

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: readSessionsSearch,
  component: SessionsPage,
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$sid',
  validateSearch: ({ tab, show, activity, to }) => textParams({ tab, show, activity, to }),
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
  component: CataloguePage,
});

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$id',
  validateSearch: ({ tab, at }) => textParams({ tab, at }),
  component: lazyRouteComponent(() => import('./workflows/workflow-page.tsx'), 'WorkflowPage'),
});

const editor = createRoute({
  getParentRoute: () => root,
  path: '/edit',
  // Without a file the page creates a new one.
  validateSearch: ({ source, file }) => textParams({ source, file }),
  component: lazyRouteComponent(() => import('./editor/editor-page.tsx'), 'EditorPage'),
});

const judge = createRoute({
  getParentRoute: () => root,
  path: '/judge',
  component: lazyRouteComponent(() => import('./workflows/criteria-page.tsx'), 'CriteriaPage'),
});

const insights = createRoute({
  getParentRoute: () => root,
  path: '/insights',
  validateSearch: readInsightsSearch,
  component: lazyRouteComponent(() => import('./insights/insights-page.tsx'), 'InsightsPage'),
});

const health = createRoute({ getParentRoute: () => root, path: '/health', component: HealthPage });

/** The routes of the console. The URL has the full state of a page, so that users can share it. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    gates,
    runs,
    run,
    compare,
    catalogue,
    workflow,
    editor,
    judge,
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
}
