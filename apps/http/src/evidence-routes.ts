import type { EvidenceReport, Operator } from '@workflowlookup/core/operator';
import { WorkflowError } from '@workflowlookup/schema';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Identity } from './auth/authentication.ts';
import { credentialOf, personOf } from './auth/authentication.ts';
import type { ConsoleParts } from './console/requests.ts';
import { answerThrown, limitBody, readBody } from './console/requests.ts';
import { evidenceMessages } from './messages.ts';

/** Largest body of a report or a statement, in bytes. */
const maxBytes = 524_288;

const text = z.string().max(4096);
const count = z.number().int().nonnegative();

/** A result as `workflowlookup verify` reports it. */
const reportedResult = z.strictObject({
  outcome: z.enum(['passed', 'failed', 'not-configured']),
  reasons: z.array(text).max(50),
  check: text.optional(),
  command: text.optional(),
  exitCode: z.number().int().optional(),
  tests: z
    .strictObject({ run: count, failed: count, skipped: count, failures: z.array(text).max(100) })
    .optional(),
  testsBefore: count.optional(),
  errors: count.optional(),
  coverage: z.number().min(0).max(100).optional(),
  durationMs: z.number().nonnegative().optional(),
  output: z.strictObject({ digest: text, bytes: count, tail: z.string().max(8192) }).optional(),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .optional(),
  repository: z
    .url({ protocol: /^https$/ })
    .max(1024)
    .optional(),
  paths: z.array(text).max(100).optional(),
  base: z.string().max(100).optional(),
  file: z.strictObject({ path: text, digest: text }).optional(),
  touched: z.array(text).max(100).optional(),
  tree: z
    .string()
    .regex(/^(commit|sha256):[0-9a-f]{40,64}$/)
    .optional(),
});

const report = z.strictObject({
  activity: z.string().min(1).max(1024),
  results: z
    .array(
      z
        .strictObject({
          evidence: z.string().min(1).max(200),
          demand: z.string().max(100),
          result: reportedResult,
        })
        .refine(({ result: { outcome, reasons } }) => outcome !== 'passed' || reasons.length === 0, {
          message: evidenceMessages.passedWithReasons(),
        }),
    )
    .min(1)
    .max(100),
});

interface EvidenceEnv {
  readonly Bindings: { readonly who: Identity };
}

/**
 * Creates the routes for evidence that is collected elsewhere: what a session asks for, what a person reports, and
 * statements that CI signed.
 *
 * @see docs/evidence.md#where-the-server-cant-see-your-files
 */
export function evidenceRoutes({ host, log }: Pick<ConsoleParts, 'host' | 'log'>): Hono<EvidenceEnv> {
  const operatorFor = ({ env: { who } }: Context<EvidenceEnv>): Operator => {
    const credential = credentialOf(who);
    return host.operatorOf({
      person: personOf(who),
      principal: who.principal,
      channel: 'http',
      ...(credential !== undefined && { credential }),
    });
  };
  return new Hono<EvidenceEnv>()
    .use(limitBody(maxBytes))
    .get('/sessions/:sid/evidence', async (context) =>
      context.json(await operatorFor(context).evidence(context.req.param('sid'))),
    )
    .post('/sessions/:sid/evidence', async (context) => {
      if (!context.env.who.scopes.has('checkpoints:respond'))
        throw new WorkflowError('FORBIDDEN', evidenceMessages.mayNotReport(), {
          data: { reason: 'scope', scope: 'checkpoints:respond' },
        });
      const body = (await readBody(context, report)) as EvidenceReport;
      const evidence = await operatorFor(context).reportEvidence(context.req.param('sid'), body);
      return context.json({ evidence });
    })
    .post('/sessions/:sid/statements', async (context) => {
      // The form is checked where the signature is.
      const body = await readBody(context, z.looseObject({}));
      const evidence = await operatorFor(context).submitStatement(context.req.param('sid'), body);
      return context.json({ evidence });
    })
    .onError((error, context) => answerThrown(context, error, log));
}
