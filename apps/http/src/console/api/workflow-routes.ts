import type {
  Catalogue,
  CatalogueProblem,
  CatalogueSource,
  Check,
  DefinitionFile,
  DefinitionReview,
  DefinitionText,
  DryRun,
  Duplicated,
  Judged,
  Saved,
  TextPosition,
  TextVersions,
  Trial,
  TrustGiven,
  UntrustedList,
  WorkflowDetail,
} from '@workflowlookup/console/contract';
import { drawWorkflow, filesOfActivities, outlineOf } from '@workflowlookup/diagrams';
import type { Draft, Host, JobContext, Review, SavedVersion, WorkflowTrial } from '@workflowlookup/host';
import type { Json } from '@workflowlookup/schema';
import { maxDefinitionBytes, WorkflowError, writeOutHidden } from '@workflowlookup/schema';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import { consoleMessages } from '../../messages.ts';
import type { SignedInUser } from '../account/accounts.ts';
import { permissionsOf, seesAll } from '../account/accounts.ts';
import type { ConsoleEnv } from '../requests.ts';
import { readBody, readQuery } from '../requests.ts';

/** Lists workflows and shows single ones. Everybody with the scope `read` can read served definitions. */
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
        activityFiles: filesOfActivities(workflow),
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

/** Returns the sources. Only the user of this machine sees their paths. */
export async function sourcesFor(host: Host, signed: SignedInUser): Promise<readonly CatalogueSource[]> {
  const reports = await host.definitions.sources();
  return host.sources.map(({ name, directory, isWritable = false }) => ({
    name,
    isWritable,
    workflows: reports.find((report) => report.name === name)?.count ?? 0,
    ...(seesAll(signed) && { directory }),
  }));
}

// The body was parsed from JSON, so the values need no further check.
const variables = z
  .record(z.string().max(200), z.unknown())
  .transform((given) => given as Record<string, Json>);

const place = { source: z.string().min(1).max(100), file: z.string().min(1).max(512) };
const draft = { ...place, text: z.string().max(maxDefinitionBytes) };

/** A workflow to try, with the text of a file that was not saved. */
const tried = {
  workflowId: z.string().min(1).max(200),
  context: variables.optional(),
  draft: z.strictObject(draft).optional(),
};

const walk = z.strictObject({
  ...tried,
  answers: z.record(z.string().max(400), z.string().max(200)).optional(),
});

/** Enough for a trial, because its author takes each step by hand. */
const maxActions = 500;

const trialRequest = z.strictObject({
  ...tried,
  actions: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({
          kind: z.literal('submit'),
          outputs: z.record(z.string().max(400), z.string()).optional(),
          variables: variables.optional(),
          isAccepted: z.boolean().optional(),
        }),
        z.strictObject({ kind: z.literal('answer'), option: z.string().max(200) }),
      ]),
    )
    .max(maxActions),
});

const judged = z.strictObject({
  output: z.string(),
  // The body was parsed from JSON, so this is JSON. Checking it again would take longer than parsing it.
  criteria: z.unknown().optional(),
  text: z.string().max(200_000).optional(),
  context: variables.optional(),
});

/** The routes to try out workflows and criteria. They store nothing. */
export function playgroundRoutes(host: Host): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .post('/walk', async (context) => {
      const { workflowId, draft: changed, context: given, answers } = await readBody(context, walk);
      const { workflow, tools } = await toTry(host, context.get('signed'), { workflowId, draft: changed });
      const ask = {
        workflow,
        ...(given !== undefined && { context: given }),
        ...(answers !== undefined && { answers }),
      };
      const walked: DryRun = await host.jobs.run('walk', ask, tools);
      return context.json(walked);
    })
    .post('/try', async (context) => {
      const { workflowId, draft: changed, ...request } = await readBody(context, trialRequest);
      const { workflow, tools } = await toTry(host, context.get('signed'), { workflowId, draft: changed });
      const answer: Trial = await host.jobs.run('trial', { ...request, workflow } as WorkflowTrial, tools);
      return context.json(answer);
    })
    .post('/judge', async (context) => {
      const { context: given = {}, text, ...asked } = await readBody(context, judged);
      const { principal } = context.get('signed');
      const trial = { ...asked, context: given, ...(text !== undefined && { text }) };
      const answer: Judged = await host.jobs.run('try-criteria', trial, { principal });
      return context.json(answer);
    });
}

/**
 * Returns the workflow to try: the served one, or the one that the unsaved text would make.
 * @throws WorkflowError FORBIDDEN, WORKFLOW_NOT_FOUND
 */
async function toTry(
  host: Host,
  signed: SignedInUser,
  asked: { readonly workflowId: string; readonly draft: Draft | undefined },
): Promise<{ readonly workflow: WorkflowTrial['workflow']; readonly tools: JobContext }> {
  const { principal } = signed;
  if (asked.draft === undefined)
    return { workflow: await host.engine.get(asked.workflowId), tools: { principal } };
  await assertReadable(host, signed, asked.draft);
  const { files, borrow } = await host.drafts.contentOf(asked.draft);
  return { workflow: files, tools: { principal, ...(borrow && { borrow }) } };
}

/** Returns a file of a definition with its notation, which its extension tells. */
export function definitionFile(file: string): DefinitionFile {
  return { file, notation: notationOf(file) };
}

function notationOf(file: string): DefinitionFile['notation'] {
  if (file.endsWith('.json')) return 'json';
  if (file.endsWith('.toon')) return 'toon';
  return file.endsWith('.md') ? 'markdown' : 'yaml';
}

/**
 * Returns whether a user may see and trust untrusted definitions. An agent's credential should not allow it: untrusted
 * texts are withheld from agents, and whoever trusts a definition decides what agents do.
 */
export function mayTrust({ scopes }: SignedInUser): boolean {
  return scopes.has('write') && scopes.has('checkpoints:respond');
}

/**
 * Refuses access to definitions that are not served, unless the user may trust definitions. No person has trusted those
 * definitions, or they have errors, and a file with errors may not be a definition at all. @throws WorkflowError
 * FORBIDDEN
 */
async function assertReadable(
  host: Host,
  signed: SignedInUser,
  wanted: { readonly source: string; readonly file: string },
): Promise<void> {
  if (mayTrust(signed)) return;
  const report = (await host.definitions.sources()).find(({ name }) => name === wanted.source);
  const served = (report?.ids ?? []).flatMap((id) => report?.files.get(id) ?? []);
  const isServed = served.some((file) => {
    const folder = /^(.*\/)workflow\.[a-z]+$/.exec(file)?.[1];
    return file === wanted.file || (folder !== undefined && wanted.file.startsWith(folder));
  });
  if (isServed) return;
  throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotRead(wanted.source, wanted.file));
}

/** The routes to review the project's untrusted definitions and to trust them. */
export function trustRoutes(host: Host): Hono<ConsoleEnv> {
  async function reviewOf(
    wanted: { readonly source: string; readonly file: string },
    { principal }: SignedInUser,
  ): Promise<Review> {
    const held = (await host.definitions.untrusted()).some(
      ({ source, file }) => source === wanted.source && file === wanted.file,
    );
    const review = held ? await host.reviews.review(wanted, principal) : undefined;
    if (review !== undefined) return review;
    throw new WorkflowError('RESOURCE_NOT_FOUND', consoleMessages.nothingToTrust(wanted.source, wanted.file));
  }

  return new Hono<ConsoleEnv>()
    .get('/untrusted', async (context) => {
      const may = mayTrust(context.get('signed'));
      const answer: UntrustedList = {
        definitions: (await host.definitions.untrusted()).map(({ id, source = '', file, reason }) => ({
          source,
          reason,
          ...(may && { ...(id !== undefined && { id }), file }),
        })),
        mayTrust: may,
      };
      return context.json(answer);
    })
    .get('/untrusted/review', async (context) => {
      if (!mayTrust(context.get('signed'))) throw refusal();
      const wanted = readQuery(context, z.strictObject(place));
      return context.json(shown(await reviewOf(wanted, context.get('signed'))));
    })
    .post('/trust', async (context) => {
      const signed = context.get('signed');
      if (!mayTrust(signed)) {
        host.audit.record({ action: 'trust', outcome: 'refused', code: 'FORBIDDEN' });
        throw refusal();
      }
      const asked = await readBody(
        context,
        z.strictObject({ ...place, digest: z.string().max(100), replaces: z.string().max(100).optional() }),
      );
      const review = await reviewOf(asked, signed);
      assertAgreed(review, asked);
      host.reviews.accept(review, signed.person);
      const answer: TrustGiven = { id: review.id ?? '' };
      return context.json(answer);
    });
}

/** Checks that the person's decision is for the version they were shown, and for the workflow that it replaces. */
function assertAgreed(
  { digest, file, replaces, isTrustable }: Review,
  asked: { readonly digest: string; readonly replaces?: string | undefined },
): void {
  if (digest !== asked.digest) throw new WorkflowError('CONFLICT', consoleMessages.changedSinceShown(file));
  if (!isTrustable) throw new WorkflowError('INVALID_WORKFLOW', consoleMessages.notTrustable(file));
  if (replaces !== undefined && asked.replaces !== replaces.id)
    throw new WorkflowError('INVALID_INPUT', consoleMessages.replaces(file, replaces.source, replaces.id));
}

function refusal(): WorkflowError {
  return new WorkflowError('FORBIDDEN', consoleMessages.mayNotReview());
}

function shown(review: Review): DefinitionReview {
  const { source, file, digest, id, title, texts, before, checkpoints, since, replaces, isTrustable } =
    review;
  const names = [...new Set([...texts.keys(), ...(before?.keys() ?? [])])];
  return {
    source,
    file,
    digest,
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title: writeOutHidden(title) }),
    files: names.map((name) => ({
      ...definitionFile(name),
      text: writeOutHidden(texts.get(name) ?? ''),
      ...(before !== undefined && { before: writeOutHidden(before.get(name) ?? '') }),
    })),
    hidden: review.hidden.map((one) => ({ file: one.file, line: one.line, text: one.name })),
    commands: review.commands.map((one) => ({ ...one, text: writeOutHidden(one.text) })),
    problems: review.problems.map((one) => ({
      file: one.file,
      line: one.line,
      text: writeOutHidden(`${one.severity}: ${one.message}`),
    })),
    checkpoints: checkpoints.map((one) => ({ ...one, message: writeOutHidden(one.message) })),
    ...(since && { since }),
    ...(replaces && { replaces }),
    isTrustable,
  };
}

const positionRequest = z.strictObject({
  text: draft.text,
  notation: z.enum(['json', 'yaml', 'toon']),
  pointer: z.string().max(2_000),
});
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();

/** Reads, judges and saves files of definitions. */
export function textRoutes(host: Host): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get('/text', async (context) => {
      const wanted = readQuery(context, z.strictObject(place));
      const signed = context.get('signed');
      await assertReadable(host, signed, wanted);
      const kept = await (mayTrust(signed) ? host.drafts.read(wanted) : host.drafts.readTrusted(wanted));
      const files = (await host.drafts.filesBeside(wanted)).map(definitionFile);
      const answer: DefinitionText = { ...kept, ...definitionFile(kept.file), files };
      return context.json(answer);
    })
    .post('/check', async (context) => {
      const asked = await readBody(context, z.strictObject(draft));
      await assertReadable(host, context.get('signed'), asked);
      const { problems, workflow } = await host.drafts.check(asked, context.get('signed').principal);
      const answer: Check = {
        problems,
        isUsable: workflow !== undefined,
        ...(workflow && {
          outline: workflow.outline,
          graph: workflow.graph,
          activityFiles: workflow.activityFiles,
        }),
      };
      return context.json(answer);
    })
    .post('/position', async (context) => {
      const { notation: format, ...asked } = await readBody(context, positionRequest);
      const { principal } = context.get('signed');
      const found: TextPosition = await host.jobs.run('position', { ...asked, format }, { principal });
      return context.json(found);
    })
    .post('/duplicate', async (context) => {
      if (!permissionsOf(context.get('signed'), host).save) {
        host.audit.record({ action: 'save', outcome: 'refused', code: 'FORBIDDEN' });
        throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotSave());
      }
      const copy = {
        to: z.string().min(1).max(100),
        id: z.string().min(1).max(100),
        name: z.string().max(200).optional(),
      };
      const { to, id, name, ...from } = await readBody(context, z.strictObject({ ...place, ...copy }));
      await assertReadable(host, context.get('signed'), from);
      const { person, principal } = context.get('signed');
      const answer: Duplicated = await host.drafts.duplicate(
        from,
        { to, id, person, ...(name !== undefined && { name }) },
        principal,
      );
      host.audit.record({ action: 'save', outcome: 'done', target: `${answer.source}/${answer.file}` });
      return context.json(answer);
    })
    .get('/versions', async (context) => {
      const kept = await versionsFor(host, context);
      const answer: TextVersions = { versions: kept.map(({ text: _text, ...version }) => version) };
      return context.json(answer);
    })
    .get('/versions/:digest', async (context) => {
      const kept = await versionsFor(host, context);
      const version = kept.find(({ digest: one }) => one === context.req.param('digest'));
      if (version === undefined) throw new WorkflowError('RESOURCE_NOT_FOUND', consoleMessages.noVersion());
      return context.json({ text: version.text });
    })
    .put('/text', async (context) => {
      if (!permissionsOf(context.get('signed'), host).save) {
        host.audit.record({ action: 'save', outcome: 'refused', code: 'FORBIDDEN' });
        throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotSave());
      }
      const asked = await readBody(context, z.strictObject({ ...draft, digest }));
      const { person, principal } = context.get('signed');
      const saved: Saved = await host.drafts.save({ ...asked, person }, principal);
      host.audit.record({ action: 'save', outcome: 'done', target: `${asked.source}/${asked.file}` });
      return context.json(saved);
    });
}

/** Returns the kept versions of the file in the query, for somebody who may save it. @throws WorkflowError FORBIDDEN */
async function versionsFor(host: Host, context: Context<ConsoleEnv>): Promise<readonly SavedVersion[]> {
  if (!permissionsOf(context.get('signed'), host).save)
    throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotSave());
  return host.drafts.versions(readQuery(context, z.strictObject(place)));
}
