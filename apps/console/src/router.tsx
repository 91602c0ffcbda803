import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { readTextParams, toQueryString } from './api/client.ts';
import { sessionFilters } from './api/early-requests.ts';
import { InboxPage } from './checkpoints/inbox-page.tsx';
import { HealthPage } from './shell/health-page.tsx';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { NotFound, PageFailure } from './shell/page.tsx';
import { Shell } from './shell/shell.tsx';
import { CataloguePage } from './workflows/catalogue-page.tsx';

const root = createRootRoute({
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
  // With the view `answered`, the page shows the latest answers; `by: me` finds only those of the user.
  validateSearch: readTextParams('view', 'sid', 'order', 'group', 'workflow', 'needs', 'text', 'by'),
  component: InboxPage,
});

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: readTextParams(...sessionFilters, 'age', 'sort'),
  component: SessionsPage,
});

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sid',
  validateSearch: readTextParams('tab', 'show', 'activity', 'to'),
  component: lazyRouteComponent(() => import('./sessions/session-page.tsx'), 'SessionPage'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: readTextParams('a', 'b'),
  component: lazyRouteComponent(() => import('./sessions/compare-page.tsx'), 'ComparePage'),
});

const catalogue = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  validateSearch: readTextParams('text', 'source'),
  component: CataloguePage,
});

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$id',
  validateSearch: readTextParams('tab', 'at'),
  component: lazyRouteComponent(() => import('./workflows/workflow-page.tsx'), 'WorkflowPage'),
});

const editor = createRoute({
  getParentRoute: () => root,
  path: '/edit',
  // Without a file the page creates a new one. `at` is the JSON pointer of what to edit.
  validateSearch: readTextParams('source', 'file', 'at'),
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
  validateSearch: readTextParams('folder'),
  component: lazyRouteComponent(() => import('./workflows/checks-page.tsx'), 'ChecksPage'),
});

const insights = createRoute({
  getParentRoute: () => root,
  path: '/insights',
  validateSearch: readTextParams('workflow', 'age'),
  component: lazyRouteComponent(() => import('./insights/insights-page.tsx'), 'InsightsPage'),
});

const health = createRoute({
  getParentRoute: () => root,
  path: '/health',
  component: HealthPage,
});

/** The routes of the console. The URL has the full state of a page, so that users can share it. */
export const router = createRouter({
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
