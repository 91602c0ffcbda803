import type { Check, DefinitionText, Saved } from '@workflowlookup/console/contract';
import type { Host } from '@workflowlookup/host';
import { maxDefinitionBytes, WorkflowError } from '@workflowlookup/schema';
import { Hono } from 'hono';
import { z } from 'zod';
import { permissionsOf } from '../account/signed.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { readBody, readQuery } from '../read-input.ts';
import { definitionFile } from './definition-file.ts';
import { assertReadable } from './trust-routes.ts';

const place = { source: z.string().min(1).max(100), file: z.string().min(1).max(512) };
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
