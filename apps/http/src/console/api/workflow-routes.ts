import type {
  Catalogue,
  CatalogueProblem,
  CatalogueSource,
  Check,
  ChecksReview,
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
import type {
  Draft,
  DraftFile,
  Host,
  JobContext,
  Review,
  SavedVersion,
  WorkflowTrial,
} from '@workflowlookup/host';
import type { Folder, Json } from '@workflowlookup/schema';
import { maxDefinitionBytes, WorkflowError, writeOutHidden } from '@workflowlookup/schema';
import type { Hono } from 'hono';
import { z } from 'zod';
import { consoleMessages } from '../../messages.ts';
import type { SignedInUser } from '../account/accounts.ts';
import { permissionsOf, seesAll } from '../account/accounts.ts';
import type { ConsoleEnv, UserRequest } from '../requests.ts';
import { readBody, readQuery, routes } from '../requests.ts';

/** Lists workflows and shows single ones. Everybody with the scope `read` can read served definitions. */
export function workflowsRoutes(host: Host): Hono<ConsoleEnv> {
  return routes({
    async 'GET /'({ signed }): Promise<Catalogue> {
      const [summaries, reports, problems, sources] = await Promise.all([
        host.engine.summaries(),
        host.definitions.sources(),
        problemsOf(host),
        sourcesFor(host, signed),
      ]);
      const workflows = summaries.map(async (summary) => {
        const { kind } = await host.engine.get(summary.id);
        const source = reports.find(({ ids }) => ids.includes(summary.id))?.name ?? '';
        const below = reports.filter(({ overridden }) => overridden.includes(summary.id));
        return { ...summary, kind, source, overrides: below.map(({ name }) => name) };
      });
      return { workflows: await Promise.all(workflows), problems, sources };
    },
    async 'GET /:id'({ context }): Promise<WorkflowDetail> {
      const workflow = await host.engine.get(context.req.param('id') ?? '');
      const { source = '', file } = (await host.definitions.origin(workflow.id)) ?? {};
      const files = file === undefined ? [] : await host.drafts.filesBeside({ source, file });
      const problems = await problemsOf(host);
      return {
        source,
        outline: outlineOf(workflow),
        graph: drawWorkflow(workflow),
        files: files.map(definitionFile),
        activityFiles: filesOfActivities(workflow),
        isWritable: host.sources.some(({ name, isWritable }) => name === source && isWritable === true),
        problems: problems.filter((problem) => problem.id === workflow.id && problem.source === source),
      };
    },
  });
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

// The body was parsed from JSON, so the values need no further check. Checking them would take longer than parsing.
const json = z.custom<Json>();
const variables = z.record(z.string().max(200), json);

const place = { source: z.string().min(1).max(100), file: z.string().min(1).max(512) };
const draft = { ...place, text: z.string().max(maxDefinitionBytes) };

/** A workflow to try, with the text of a file that was not saved. */
const tried = {
  workflowId: z.string().min(1).max(200),
  context: variables.exactOptional(),
  draft: z.strictObject(draft).exactOptional(),
};

const walk = z.strictObject({
  ...tried,
  answers: z.record(z.string().max(400), z.string().max(200)).exactOptional(),
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
          outputs: z.record(z.string().max(400), z.string()).exactOptional(),
          variables: variables.exactOptional(),
          isAccepted: z.boolean().exactOptional(),
        }),
        z.strictObject({ kind: z.literal('answer'), option: z.string().max(200) }),
      ]),
    )
    .max(maxActions),
});

const judged = z.strictObject({
  output: z.string(),
  criteria: json.exactOptional(),
  text: z.string().max(200_000).exactOptional(),
  context: variables.exactOptional(),
});

/** The routes to try out workflows and criteria. They store nothing. */
export function playgroundRoutes(host: Host): Hono<ConsoleEnv> {
  /** Returns the workflow to try: the served one, or the one that the unsaved text would make. */
  async function toTry(
    workflowId: string,
    changed: Draft | undefined,
    signed: SignedInUser,
  ): Promise<{ readonly workflow: WorkflowTrial['workflow']; readonly tools: JobContext }> {
    const { principal } = signed;
    if (changed === undefined) return { workflow: await host.engine.get(workflowId), tools: { principal } };
    await assertReadable(host, signed, changed);
    const { files, borrow } = await host.drafts.contentOf(changed);
    return { workflow: files, tools: { principal, ...(borrow && { borrow }) } };
  }

  return routes({
    async 'POST /walk'({ context, signed }): Promise<DryRun> {
      const { workflowId, draft: changed, ...request } = await readBody(context, walk);
      const { workflow, tools } = await toTry(workflowId, changed, signed);
      return host.jobs.run('walk', { ...request, workflow }, tools);
    },
    async 'POST /try'({ context, signed }): Promise<Trial> {
      const { workflowId, draft: changed, ...request } = await readBody(context, trialRequest);
      const { workflow, tools } = await toTry(workflowId, changed, signed);
      return host.jobs.run('trial', { ...request, workflow }, tools);
    },
    async 'POST /judge'({ context, signed: { principal } }): Promise<Judged> {
      return host.jobs.run('try-criteria', await readBody(context, judged), { principal });
    },
  });
}

/** Returns a file of a definition with its notation, which its extension tells. */
function definitionFile(file: string): DefinitionFile {
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
async function assertReadable(host: Host, signed: SignedInUser, wanted: DraftFile): Promise<void> {
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
  async function reviewOf(wanted: DraftFile, { principal }: SignedInUser): Promise<Review> {
    const held = (await host.definitions.untrusted()).some(
      ({ source, file }) => source === wanted.source && file === wanted.file,
    );
    const review = held ? await host.reviews.review(wanted, principal) : undefined;
    if (review !== undefined) return review;
    throw new WorkflowError('RESOURCE_NOT_FOUND', consoleMessages.nothingToTrust(wanted.source, wanted.file));
  }

  return routes({
    async 'GET /untrusted'({ signed }): Promise<UntrustedList> {
      const may = mayTrust(signed);
      return {
        definitions: (await host.definitions.untrusted()).map(({ id, source = '', file, reason }) => ({
          source,
          reason,
          ...(may && { ...(id !== undefined && { id }), file }),
        })),
        mayTrust: may,
      };
    },
    async 'GET /untrusted/review'({ context, signed }): Promise<DefinitionReview> {
      if (!mayTrust(signed)) throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotReview());
      return shown(await reviewOf(readQuery(context, z.strictObject(place)), signed));
    },
    async 'POST /trust'({ context, signed }): Promise<TrustGiven> {
      if (!mayTrust(signed)) {
        host.audit.record({ action: 'trust', outcome: 'refused', code: 'FORBIDDEN' });
        throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotReview());
      }
      const asked = await readBody(context, trustRequest);
      const review = await reviewOf(asked, signed);
      assertAgreed(review, asked);
      host.reviews.accept(review, signed.person);
      return { id: review.id ?? '' };
    },
  });
}

const trustRequest = z.strictObject({
  ...place,
  digest: z.string().max(100),
  replaces: z.string().max(100).exactOptional(),
});

/** Checks that the person's decision is for the version they were shown, and for the workflow that it replaces. */
function assertAgreed(
  { digest, file, replaces, isTrustable }: Review,
  asked: z.infer<typeof trustRequest>,
): void {
  if (digest !== asked.digest) throw new WorkflowError('CONFLICT', consoleMessages.changedSinceShown(file));
  if (!isTrustable) throw new WorkflowError('INVALID_WORKFLOW', consoleMessages.notTrustable(file));
  if (replaces !== undefined && asked.replaces !== replaces.id)
    throw new WorkflowError('INVALID_INPUT', consoleMessages.replaces(file, replaces.source, replaces.id));
}

function shown(review: Review): DefinitionReview {
  const { texts, borrowed: _borrowed, before, title, ...rest } = review;
  return {
    ...rest,
    ...(title !== undefined && { title: writeOutHidden(title) }),
    files: filesInReview(texts, before).map(({ text = '', before: old = '', ...file }) => ({
      ...file,
      text,
      ...(before !== undefined && { before: old }),
    })),
    hidden: review.hidden.map(({ file, line, name: text }) => ({ file, line, text })),
    commands: review.commands.map((one) => ({ ...one, text: writeOutHidden(one.text) })),
    problems: review.problems.map(({ file, line, severity, message }) => ({
      file,
      line,
      text: writeOutHidden(`${severity}: ${message}`),
    })),
    checkpoints: review.checkpoints.map((one) => ({ ...one, message: writeOutHidden(one.message) })),
  };
}

/** Returns the files of a review with their texts, now and as they were trusted last. Hidden characters are escaped. */
export function filesInReview(texts: Folder, before: Folder = new Map()): ChecksReview['files'] {
  const names = [...new Set([...texts.keys(), ...before.keys()])];
  return names.map((name) => {
    const [text, old] = [texts.get(name), before.get(name)];
    return {
      ...definitionFile(writeOutHidden(name)),
      ...(text !== undefined && { text: writeOutHidden(text) }),
      ...(old !== undefined && { before: writeOutHidden(old) }),
    };
  });
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

const copyRequest = z.strictObject({
  ...place,
  to: z.string().min(1).max(100),
  id: z.string().min(1).max(100),
  name: z.string().max(200).exactOptional(),
});

/** Reads, judges and saves files of definitions. */
export function textRoutes(host: Host): Hono<ConsoleEnv> {
  function assertMaySave(signed: SignedInUser): void {
    if (permissionsOf(signed, host).save) return;
    host.audit.record({ action: 'save', outcome: 'refused', code: 'FORBIDDEN' });
    throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotSave());
  }

  function recordSaved({ source, file }: DraftFile): void {
    host.audit.record({ action: 'save', outcome: 'done', target: `${source}/${file}` });
  }

  /** Returns the kept versions of the file in the query. @throws WorkflowError FORBIDDEN for a user who may not save it */
  async function versionsFor({ context, signed }: UserRequest): Promise<readonly SavedVersion[]> {
    if (!permissionsOf(signed, host).save) throw new WorkflowError('FORBIDDEN', consoleMessages.mayNotSave());
    return host.drafts.versions(readQuery(context, z.strictObject(place)));
  }

  return routes({
    async 'GET /text'({ context, signed }): Promise<DefinitionText> {
      const wanted = readQuery(context, z.strictObject(place));
      await assertReadable(host, signed, wanted);
      const kept = await (mayTrust(signed) ? host.drafts.read(wanted) : host.drafts.readTrusted(wanted));
      const files = await host.drafts.filesBeside(wanted);
      return { ...kept, ...definitionFile(kept.file), files: files.map(definitionFile) };
    },
    async 'POST /check'({ context, signed }): Promise<Check> {
      const asked = await readBody(context, z.strictObject(draft));
      await assertReadable(host, signed, asked);
      const { problems, workflow } = await host.drafts.check(asked, signed.principal);
      if (workflow === undefined) return { problems, isUsable: false };
      const { id: _id, ...pictured } = workflow;
      return { problems, isUsable: true, ...pictured };
    },
    async 'POST /position'({ context, signed: { principal } }): Promise<TextPosition> {
      const { notation: format, ...asked } = await readBody(context, positionRequest);
      return host.jobs.run('position', { ...asked, format }, { principal });
    },
    async 'POST /duplicate'({ context, signed }): Promise<Duplicated> {
      assertMaySave(signed);
      const { to, id, name, ...from } = await readBody(context, copyRequest);
      await assertReadable(host, signed, from);
      const { person, principal } = signed;
      const copy = { to, id, person, ...(name !== undefined && { name }) };
      const copied = await host.drafts.duplicate(from, copy, principal);
      recordSaved(copied);
      return copied;
    },
    async 'GET /versions'(request): Promise<TextVersions> {
      const kept = await versionsFor(request);
      return { versions: kept.map(({ text: _text, ...version }) => version) };
    },
    async 'GET /versions/:digest'(request): Promise<Pick<SavedVersion, 'text'>> {
      const kept = await versionsFor(request);
      const version = kept.find((one) => one.digest === request.context.req.param('digest'));
      if (version === undefined) throw new WorkflowError('RESOURCE_NOT_FOUND', consoleMessages.noVersion());
      return { text: version.text };
    },
    async 'PUT /text'({ context, signed }): Promise<Saved> {
      assertMaySave(signed);
      const asked = await readBody(context, z.strictObject({ ...draft, digest }));
      const { person, principal } = signed;
      const saved = await host.drafts.save({ ...asked, person }, principal);
      recordSaved(asked);
      return saved;
    },
  });
}
