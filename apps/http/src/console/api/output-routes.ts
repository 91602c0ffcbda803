import type { PastOutput, PastOutputs } from '@workflowlookup/console/contract';
import type { Operator } from '@workflowlookup/core/operator';
import type { Host } from '@workflowlookup/host';
import type { JsonObject, Workflow } from '@workflowlookup/schema';
import { WorkflowError, walkActivitySteps, walkSteps } from '@workflowlookup/schema';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleEnv } from '../requests.ts';
import { readQuery } from '../requests.ts';

const maxSessions = 30;
const maxOutputs = 200;
const maxChars = 20_000;
/** The trace keeps refused outputs of at most so many characters whole. */
const wholeChars = 1_000;

/** The outputs of past sessions, to try criteria on. Only sessions that the user may see count. */
export function outputRoutes(host: Pick<Host, 'engine'>): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get('/', async (context) => {
    const { workflow } = readQuery(context, z.strictObject({ workflow: z.string().min(1).max(200) }));
    const operator = context.get('operator');
    const { sessions } = await operator.find({ workflowId: workflow }, { limit: maxSessions });
    const outputs: PastOutput[] = [];
    for (const { sid } of sessions) {
      outputs.push(...(await outputsOf(operator, sid)));
      if (outputs.length >= maxOutputs) break;
    }
    const answer: PastOutputs = {
      outputs: outputs.slice(0, maxOutputs),
      steps: askedIn(await host.engine.get(workflow)),
    };
    return context.json(answer);
  });
}

/** A session that is damaged has no outputs here, and does not hide those of others. */
async function outputsOf(
  operator: Pick<Operator, 'contents' | 'history' | 'summary'>,
  sid: string,
): Promise<readonly PastOutput[]> {
  try {
    const summary = await operator.summary(sid);
    const [{ outputs }, { refusals }] = await Promise.all([operator.contents(sid), operator.history(sid)]);
    const title = summary?.subject ?? `${summary?.title ?? ''} ${sid.slice(0, 8)}`.trim();
    const accepted = outputs.map(({ activity, step, output, at }) => ({ activity, step, output, at }));
    const refused = refusals.flatMap(({ act, ts, rj = [] }) =>
      rj.flatMap(({ step, output }) =>
        // Of a longer output the trace has only the beginning, on which the criteria would say something else.
        output === undefined || output.length > wholeChars
          ? []
          : [{ activity: act, step, output, at: ts, isRefused: true as const }],
      ),
    );
    return [...accepted, ...refused]
      .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
      .map(({ at: _at, step, output, ...rest }) => ({
        sid,
        title,
        ...rest,
        // The rounds of a loop count together.
        step: step.split('::').at(-1) ?? step,
        output: output.slice(0, maxChars),
      }))
      .toReversed();
  } catch (error) {
    if (error instanceof WorkflowError && error.code !== 'STORE_UNAVAILABLE') return [];
    throw error;
  }
}

/** The criteria that each step of a workflow has for its output. */
function askedIn(workflow: Workflow): PastOutputs['steps'] {
  const steps =
    workflow.kind === 'steps'
      ? [...walkSteps(workflow.definition.steps)].map(({ step }) => step)
      : workflow.activities.flatMap(({ definition }) =>
          [...walkActivitySteps(definition)].map(({ step }) => step),
        );
  const asked = steps.flatMap((step): [string, JsonObject][] => {
    const { validationCriteria, fields } = step as { validationCriteria?: unknown; fields?: unknown };
    if (validationCriteria === undefined && fields === undefined) return [];
    const parts = {
      ...(validationCriteria !== undefined && { validationCriteria }),
      ...(fields !== undefined && { fields }),
    };
    return [[step.id, parts as JsonObject]];
  });
  return Object.fromEntries(asked);
}
