import type {
  Catalogue,
  CatalogueProblem,
  CatalogueSource,
  Judged,
  DryRun,
  WorkflowDetail,
} from '@workflowlookup/console/contract';
import { drawWorkflow, outlineOf } from '@workflowlookup/diagrams';
import type { Host } from '@workflowlookup/host';
import type { Json } from '@workflowlookup/schema';
import { maxDefinitionBytes } from '@workflowlookup/schema';
import { Hono } from 'hono';
import { z } from 'zod';
import type { SignedInUser } from '../account/accounts.ts';
import { seesAll } from '../account/accounts.ts';
import type { ConsoleEnv } from '../console-parts.ts';
import { readBody } from '../requests.ts';
import { definitionFile } from './definition-routes.ts';

/** Lists workflows, and shows one. Definitions are readable by everybody who may read. */
export function workflowsRoutes(host: Host): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get('/', async (context) => context.json(await catalogueFor(host, context.get('signed'))))
    .get('/:id', async (context) => {
      const workflow = await host.engine.get(context.req.param('id'));
      const { source = '', file } = (await host.definitions.origin(workflow.id)) ?? {};
      const files = file === undefined ? [] : await host.drafts.filesBeside({ source, file });
      const answer: WorkflowDetail = {
        source,
        outline: outlineOf(workflow),
        graph: drawWorkflow(workflow),
        files: files.map(definitionFile),
        isWritable: host.sources.some(({ name, isWritable }) => name === source && isWritable === true),
        problems: (await problemsOf(host)).filter(
          (problem) => problem.id === workflow.id && problem.source === source,
        ),
      };
      return context.json(answer);
    });
}

async function catalogueFor(host: Host, signed: SignedInUser): Promise<Catalogue> {
  const [summaries, reports, problems, sources] = await Promise.all([
    host.engine.summaries(),
    host.definitions.sources(),
    problemsOf(host),
    sourcesFor(host, signed),
  ]);
  const workflows = await Promise.all(
    summaries.map(async (summary) => {
      const { kind } = await host.engine.get(summary.id);
      const source = reports.find(({ ids }) => ids.includes(summary.id))?.name ?? '';
      const below = reports.filter(({ overridden }) => overridden.includes(summary.id));
      return { ...summary, kind, source, overrides: below.map(({ name }) => name) };
    }),
  );
  return { workflows, problems, sources };
}

async function problemsOf({ definitions }: Host): Promise<readonly CatalogueProblem[]> {
  const reports = await definitions.sources();
  return reports.flatMap(({ name: source, problems }) => problems.map((problem) => ({ ...problem, source })));
}

/** The sources as somebody may see them: paths of this machine are for its user. */
export async function sourcesFor(host: Host, signed: SignedInUser): Promise<readonly CatalogueSource[]> {
  const reports = await host.definitions.sources();
  return host.sources.map(({ name, directory, isWritable = false }) => ({
    name,
    isWritable,
    workflows: reports.find((report) => report.name === name)?.count ?? 0,
    ...(seesAll(signed) && { directory }),
  }));
}

// Read from JSON, so their values are JSON.
const variables = z
  .record(z.string().max(200), z.unknown())
  .transform((given) => given as Record<string, Json>);

const walk = z.strictObject({
  workflowId: z.string().min(1).max(200),
  context: variables.optional(),
  answers: z.record(z.string().max(400), z.string().max(200)).optional(),
  text: z.string().max(maxDefinitionBytes).optional(),
});

const judged = z.strictObject({
  output: z.string(),
  // Read from JSON, so it is JSON: looking through it once more would take longer than reading it.
  criteria: z.unknown(),
  context: variables.optional(),
});

/** Tries out workflows and criteria. Nothing is stored. */
export function playgroundRoutes(host: Pick<Host, 'engine' | 'jobs'>): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .post('/walk', async (context) => {
      const { workflowId, text, context: given, answers } = await readBody(context, walk);
      const { principal } = context.get('signed');
      const ask = {
        workflow: text ?? (await host.engine.get(workflowId)),
        ...(given !== undefined && { context: given }),
        ...(answers !== undefined && { answers }),
      };
      const walked: DryRun = await host.jobs.run('walk', ask, { principal });
      return context.json(walked);
    })
    .post('/judge', async (context) => {
      const { context: given = {}, ...asked } = await readBody(context, judged);
      const { principal } = context.get('signed');
      const answer: Judged = await host.jobs.run('try-criteria', { ...asked, context: given }, { principal });
      return context.json(answer);
    });
}
