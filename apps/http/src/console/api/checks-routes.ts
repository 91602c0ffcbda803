import type {
  ChecksReview,
  ChecksTrustChanged,
  ProjectChecksList,
  ProjectWithChecks,
} from '@workflowlookup/console/contract';
import type { Operator } from '@workflowlookup/core/operator';
import type { ChecksOfProject, ChecksReview as Review, Host } from '@workflowlookup/host';
import type { Check } from '@workflowlookup/schema';
import { WorkflowError, writeOutHidden } from '@workflowlookup/schema';
import { Hono } from 'hono';
import { z } from 'zod';
import { consoleMessages } from '../../messages.ts';
import type { SignedInUser } from '../account/accounts.ts';
import { seesAll } from '../account/accounts.ts';
import type { ConsoleEnv } from '../requests.ts';
import { readBody, readQuery } from '../requests.ts';
import { definitionFile, mayTrust as hasScopes } from './workflow-routes.ts';

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
  async function listedFolder(wanted: string, who: Who): Promise<ProjectWithChecks> {
    const found = (await projectsFor(host, who)).find(({ folder }) => folder === wanted);
    if (found !== undefined) return found;
    throw new WorkflowError('RESOURCE_NOT_FOUND', consoleMessages.noChecks(wanted));
  }

  async function reviewOf(wanted: string, who: Who): Promise<Review> {
    const { folder } = await listedFolder(wanted, who);
    const review = await checks.review(folder);
    if (review !== undefined) return review;
    throw new WorkflowError('RESOURCE_NOT_FOUND', consoleMessages.noChecks(wanted));
  }

  return new Hono<ConsoleEnv>()
    .get('/', async (context) => {
      const who = { signed: context.get('signed'), operator: context.get('operator') };
      const may = mayTrust(who.signed);
      const answer: ProjectChecksList = {
        runsChecks: checks.folder !== undefined,
        ...(may && { folder: checks.folder ?? '' }),
        mayTrust: may,
        projects: may ? await projectsFor(host, who) : [],
      };
      return context.json(answer);
    })
    .get('/review', async (context) => {
      const who = { signed: context.get('signed'), operator: context.get('operator') };
      assertMayTrust(who.signed);
      const { folder } = readQuery(context, z.strictObject(place));
      return context.json(shown(folder, await reviewOf(folder, who)));
    })
    .post('/trust', async (context) => {
      const who = { signed: context.get('signed'), operator: context.get('operator') };
      assertMayTrust(who.signed, 'trust');
      const { folder, digest } = await readBody(
        context,
        z.strictObject({ ...place, digest: z.string().max(100) }),
      );
      const review = await reviewOf(folder, who);
      if (review.project.digest !== digest)
        throw new WorkflowError('CONFLICT', consoleMessages.checksChangedSinceShown(folder));
      checks.accept(review, who.signed.person);
      return context.json<ChecksTrustChanged, 200>({ folder, state: 'trusted' });
    })
    .post('/distrust', async (context) => {
      const who = { signed: context.get('signed'), operator: context.get('operator') };
      assertMayTrust(who.signed, 'distrust');
      const { folder } = await readBody(context, z.strictObject(place));
      await checks.withdraw((await listedFolder(folder, who)).folder);
      return context.json<ChecksTrustChanged, 200>({ folder, state: 'untrusted' });
    });
}

/** A user who is signed in, and the operator for the sessions that they may see. */
interface Who {
  readonly signed: SignedInUser;
  readonly operator: Operator;
}

/**
 * Returns the projects that a person can decide about: the folder of the server, and for the user of this machine also
 * the folders of open sessions, which other servers on this machine may serve, and those that they trusted before.
 */
async function projectsFor(
  { checks }: Host,
  { signed, operator }: Who,
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
    .map((project) => row(project, used.filter((folder) => folder === project.folder).length))
    .toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
}

function row({ folder, state, entry }: ChecksOfProject, sessions: number): ProjectWithChecks {
  return { folder, state, sessions, ...(entry && { trusted: { by: entry.by, at: entry.at } }) };
}

function shown(folder: string, { project, state, hidden, before }: Review): ChecksReview {
  const { digest, checks, problem, texts } = project;
  const names = [...new Set([...texts.keys(), ...(before?.keys() ?? [])])];
  return {
    folder,
    state,
    digest,
    checks: Object.entries(checks?.checks ?? {}).map(([name, check]) => reviewedCheck(name, check)),
    ...(problem !== undefined && { problem: writeOutHidden(problem) }),
    hidden: hidden.map(({ file, line, name }) => ({ file: writeOutHidden(file), line, text: name })),
    files: names.map((name) => {
      const [text, old] = [texts.get(name), before?.get(name)];
      return {
        ...definitionFile(writeOutHidden(name)),
        ...(text !== undefined && { text: writeOutHidden(text) }),
        ...(old !== undefined && { before: writeOutHidden(old) }),
      };
    }),
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
