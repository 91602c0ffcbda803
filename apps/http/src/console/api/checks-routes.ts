import type {
  ChecksReview,
  ChecksTrustChanged,
  ProjectChecksList,
  ProjectWithChecks,
} from '@workflowlookup/console/contract';
import type { ChecksReview as Review, Host } from '@workflowlookup/host';
import type { Check } from '@workflowlookup/schema';
import { WorkflowError, writeOutHidden } from '@workflowlookup/schema';
import type { Hono } from 'hono';
import { z } from 'zod';
import { consoleMessages } from '../../messages.ts';
import type { SignedInUser } from '../account/accounts.ts';
import { seesAll } from '../account/accounts.ts';
import type { ConsoleEnv, UserRequest } from '../requests.ts';
import { readBody, readQuery, routes } from '../requests.ts';
import { filesInReview, mayTrust as hasScopes } from './workflow-routes.ts';

/** The maximum number of open sessions to look for project folders in: those that changed last. */
const maxSessions = 500;

/** The maximum number of folders in one list. */
const maxFolders = 100;

/** The projects that need a decision come first. */
const order: readonly ProjectWithChecks['state'][] = ['changed', 'untrusted', 'missing', 'trusted'];

const place = { folder: z.string().min(1).max(4096) };

/**
 * The routes to review the checks of projects and to trust them. On a server that runs no checks, nobody can decide.
 * Credentials of agents can't decide either, and see nothing.
 */
export function checksRoutes(host: Host): Hono<ConsoleEnv> {
  const { checks, audit } = host;
  const mayTrust = (signed: SignedInUser): boolean => checks.folder !== undefined && hasScopes(signed);

  function assertMayTrust(signed: SignedInUser, action?: 'trust' | 'distrust'): void {
    if (mayTrust(signed)) return;
    if (action !== undefined) audit.record({ action, outcome: 'refused', code: 'FORBIDDEN' });
    const { mayNotTrustChecks, runsNoChecks } = consoleMessages;
    throw new WorkflowError('FORBIDDEN', hasScopes(signed) ? runsNoChecks() : mayNotTrustChecks());
  }

  /** Returns a project from the list. Other folders are not read, so that nobody can explore the disk. */
  async function listedFolder(wanted: string, request: UserRequest): Promise<string> {
    const found = (await projectsFor(host, request)).find(({ folder }) => folder === wanted);
    if (found !== undefined) return found.folder;
    throw new WorkflowError('RESOURCE_NOT_FOUND', consoleMessages.noChecks(wanted));
  }

  async function reviewOf(wanted: string, request: UserRequest): Promise<Review> {
    const review = await checks.review(await listedFolder(wanted, request));
    if (review !== undefined) return review;
    throw new WorkflowError('RESOURCE_NOT_FOUND', consoleMessages.noChecks(wanted));
  }

  return routes({
    async 'GET /'(request): Promise<ProjectChecksList> {
      const may = mayTrust(request.signed);
      return {
        runsChecks: checks.folder !== undefined,
        ...(may && { folder: checks.folder ?? '' }),
        mayTrust: may,
        projects: may ? await projectsFor(host, request) : [],
      };
    },
    async 'GET /review'(request): Promise<ChecksReview> {
      assertMayTrust(request.signed);
      const { folder } = readQuery(request.context, z.strictObject(place));
      return shown(folder, await reviewOf(folder, request));
    },
    async 'POST /trust'(request): Promise<ChecksTrustChanged> {
      assertMayTrust(request.signed, 'trust');
      const asked = z.strictObject({ ...place, digest: z.string().max(100) });
      const { folder, digest } = await readBody(request.context, asked);
      const review = await reviewOf(folder, request);
      if (review.project.digest !== digest)
        throw new WorkflowError('CONFLICT', consoleMessages.checksChangedSinceShown(folder));
      checks.accept(review, request.signed.person);
      return { folder, state: 'trusted' };
    },
    async 'POST /distrust'(request): Promise<ChecksTrustChanged> {
      assertMayTrust(request.signed, 'distrust');
      const { folder } = await readBody(request.context, z.strictObject(place));
      await checks.withdraw(await listedFolder(folder, request));
      return { folder, state: 'untrusted' };
    },
  });
}

/**
 * Returns the projects that a person can decide about: the folder of the server, and for the user of this machine also
 * the folders of open sessions, which other servers on this machine may serve, and those that they trusted before.
 */
async function projectsFor(
  { checks }: Host,
  { signed, operator }: UserRequest,
): Promise<readonly ProjectWithChecks[]> {
  const own = checks.folder ?? '';
  const page = await operator.find({ statuses: ['active', 'blocked', 'parked'] }, { limit: maxSessions });
  // An imported session has a folder on another machine.
  const used = page.sessions.flatMap(({ project, imported }) =>
    imported === undefined ? [project ?? own] : [],
  );
  const folders = seesAll(signed) ? [own, ...used, ...checks.trustedFolders()] : [own];
  const projects = await checks.projects([...new Set(folders)].slice(0, maxFolders));
  return projects
    .map(({ folder, state, entry }) => ({
      folder,
      state,
      sessions: used.filter((one) => one === folder).length,
      ...(entry && { trusted: { by: entry.by, at: entry.at } }),
    }))
    .toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
}

function shown(folder: string, { project, state, hidden, before }: Review): ChecksReview {
  const { digest, checks, problem, texts } = project;
  return {
    folder,
    state,
    digest,
    checks: Object.entries(checks?.checks ?? {}).map(([name, check]) => reviewedCheck(name, check)),
    ...(problem !== undefined && { problem: writeOutHidden(problem) }),
    hidden: hidden.map(({ file, line, name }) => ({ file: writeOutHidden(file), line, text: name })),
    files: filesInReview(texts, before),
  };
}

function reviewedCheck(
  name: string,
  { run, timeout = '10m', reports = [], env = [] }: Check,
): ChecksReview['checks'][number] {
  return {
    name: writeOutHidden(name),
    command: writeOutHidden(typeof run === 'string' ? run : JSON.stringify(run)),
    usesShell: typeof run === 'string',
    timeout,
    reports: reports.flatMap((report) =>
      Object.entries(report).map(([kind, pattern]) => writeOutHidden(`${kind}: ${pattern}`)),
    ),
    env: env.map(writeOutHidden),
  };
}
