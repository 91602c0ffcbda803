import type {
  Check,
  DefinitionFile,
  DefinitionReview,
  DefinitionText,
  Saved,
  TrustGiven,
  UntrustedList,
} from '@workflowlookup/console/contract';
import type { Host, Review } from '@workflowlookup/host';
import { WorkflowError, maxDefinitionBytes, writeOutHidden } from '@workflowlookup/schema';
import { Hono } from 'hono';
import { z } from 'zod';
import type { SignedInUser } from '../account/accounts.ts';
import { permissionsOf } from '../account/accounts.ts';
import type { ConsoleEnv } from '../console-parts.ts';
import { readBody, readQuery } from '../requests.ts';

/** A file of a definition, with what it is written in by its name. */
export function definitionFile(file: string): DefinitionFile {
  return { file, notation: notationOf(file) };
}

function notationOf(file: string): DefinitionFile['notation'] {
  if (file.endsWith('.json')) return 'json';
  if (file.endsWith('.toon')) return 'toon';
  return file.endsWith('.md') ? 'markdown' : 'yaml';
}

const place = { source: z.string().min(1).max(100), file: z.string().min(1).max(512) };

/**
 * Whether somebody may see definitions that nobody trusted, and trust them. An agent's credential may not: the texts are
 * held back from agents, and whoever trusts one decides what agents do.
 */
function mayTrust({ scopes }: SignedInUser): boolean {
  return scopes.has('write') && scopes.has('checkpoints:respond');
}

/**
 * Refuses the texts of definitions that are not served to somebody who may not trust them: no person has trusted them, or
 * they have errors, and a file with errors may be something else than a definition. @throws WorkflowError FORBIDDEN
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
  const message = `'${wanted.file}' is not part of a workflow that the source '${wanted.source}' serves. Reading it requires the scopes write and checkpoints:respond.`;
  throw new WorkflowError('FORBIDDEN', message);
}

/** Shows the definitions of the project that nobody trusted, and takes the decisions of people. */
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
    const message = `'${wanted.file}' of the source '${wanted.source}' does not wait to be trusted, or can't be read.`;
    throw new WorkflowError('RESOURCE_NOT_FOUND', message);
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
      if (!mayTrust(signed)) throw refusal();
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

/** Checks that the person agreed to what they were shown: the digest, and the workflow that it replaces. */
function assertAgreed(
  { digest, file, replaces, isTrustable }: Review,
  asked: { readonly digest: string; readonly replaces?: string | undefined },
): void {
  if (digest !== asked.digest)
    throw new WorkflowError('CONFLICT', `'${file}' was changed after it was shown. Look at it again.`);
  if (!isTrustable)
    throw new WorkflowError('INVALID_WORKFLOW', `'${file}' can't be trusted: it has errors, or is 'meta'.`);
  if (replaces !== undefined && asked.replaces !== replaces.id)
    throw new WorkflowError(
      'INVALID_INPUT',
      `'${file}' replaces the ${replaces.source} workflow '${replaces.id}'. To agree to that, send replaces: "${replaces.id}".`,
    );
}

function refusal(): WorkflowError {
  return new WorkflowError(
    'FORBIDDEN',
    'Agents are not shown this definition, because no person has trusted it. Looking at it and trusting it requires the scopes write and checkpoints:respond.',
  );
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

const draft = { ...place, text: z.string().max(maxDefinitionBytes) };
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();

/** Reads, judges and saves files of definitions. */
export function textRoutes(host: Host): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get('/text', async (context) => {
      const wanted = readQuery(context, z.strictObject(place));
      await assertReadable(host, context.get('signed'), wanted);
      const kept = await host.drafts.read(wanted);
      const answer: DefinitionText = { ...kept, ...definitionFile(kept.file) };
      return context.json(answer);
    })
    .post('/check', async (context) => {
      const asked = await readBody(context, z.strictObject(draft));
      await assertReadable(host, context.get('signed'), asked);
      const { problems, workflow } = await host.drafts.check(asked, context.get('signed').principal);
      const answer: Check = {
        problems,
        isUsable: workflow !== undefined,
        ...(workflow && { outline: workflow.outline, graph: workflow.graph }),
      };
      return context.json(answer);
    })
    .put('/text', async (context) => {
      if (!permissionsOf(context.get('signed'), host).save) {
        host.audit.record({ action: 'save', outcome: 'refused', code: 'FORBIDDEN' });
        throw new WorkflowError(
          'FORBIDDEN',
          'To save takes the scopes write and checkpoints:respond, and a source that may be saved to.',
        );
      }
      const asked = await readBody(context, z.strictObject({ ...draft, digest }));
      const { person, principal } = context.get('signed');
      const saved: Saved = await host.drafts.save({ ...asked, person }, principal);
      host.audit.record({ action: 'save', outcome: 'done', target: `${asked.source}/${asked.file}` });
      return context.json(saved);
    });
}
