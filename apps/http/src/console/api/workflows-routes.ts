import type {
  Catalogue,
  CatalogueProblem,
  CatalogueSource,
  WorkflowDetail,
} from '@workflowlookup/console/contract';
import { graphOf, outlineOf } from '@workflowlookup/core';
import type { Host } from '@workflowlookup/host';
import { Hono } from 'hono';
import type { Signed } from '../account/signed.ts';
import { seesAll } from '../account/signed.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { definitionFile } from './definition-file.ts';

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
        graph: graphOf(workflow),
        files: files.map(definitionFile),
        isWritable: host.sources.some(({ name, isWritable }) => name === source && isWritable === true),
        problems: (await problemsOf(host)).filter(
          (problem) => problem.id === workflow.id && problem.source === source,
        ),
      };
      return context.json(answer);
    });
}

async function catalogueFor(host: Host, signed: Signed): Promise<Catalogue> {
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
export async function sourcesFor(host: Host, signed: Signed): Promise<readonly CatalogueSource[]> {
  const reports = await host.definitions.sources();
  return host.sources.map(({ name, directory, isWritable = false }) => ({
    name,
    isWritable,
    workflows: reports.find((report) => report.name === name)?.count ?? 0,
    ...(seesAll(signed) && { directory }),
  }));
}
