import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { readText } from './api/read-text.ts';
import { searchOf } from './api/search-of.ts';
import { GatesPage } from './gates/gates-page.tsx';
import { HealthPage } from './health/health-page.tsx';
import { readRunsSearch } from './runs/runs-search.ts';
import { RunsPage } from './runs/runs-page.tsx';
import { NotFound } from './shell/not-found.tsx';
import { PageFailure } from './shell/page-failure.tsx';
import { Shell } from './shell/shell.tsx';
import { readCatalogueSearch } from './workflows/catalogue-search.ts';
import { CataloguePage } from './workflows/catalogue-page.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageFailure });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/gates', replace: true });
  },
});

const gates = createRoute({ getParentRoute: () => root, path: '/gates', component: GatesPage });

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: readRunsSearch,
  component: RunsPage,
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$sid',
  validateSearch: ({ tab }) => readText({ tab }),
  component: lazyRouteComponent(() => import('./run/run-page.tsx'), 'RunPage'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: ({ a, b }) => readText({ a, b }),
  component: lazyRouteComponent(() => import('./compare/compare-page.tsx'), 'ComparePage'),
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
  validateSearch: ({ tab }) => readText({ tab }),
  component: lazyRouteComponent(() => import('./workflow/workflow-page.tsx'), 'WorkflowPage'),
});

const editor = createRoute({
  getParentRoute: () => root,
  path: '/edit',
  // Without a file, a new one is written.
  validateSearch: ({ source, file }) => readText({ source, file }),
  component: lazyRouteComponent(() => import('./editor/editor-page.tsx'), 'EditorPage'),
});

const judge = createRoute({
  getParentRoute: () => root,
  path: '/judge',
  component: lazyRouteComponent(() => import('./judge/judge-page.tsx'), 'JudgePage'),
});

const health = createRoute({ getParentRoute: () => root, path: '/health', component: HealthPage });

/** Every page by its address. What a page shows is in the address, so that it can be sent to others. */
export const router = createRouter({
  routeTree: root.addChildren([home, gates, runs, run, compare, catalogue, workflow, editor, judge, health]),
  basepath: '/console',
  defaultPreload: false,
  scrollRestoration: true,
  // Searches are plain text: nothing in an address has a type.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: searchOf,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
