import type { CollectedEvidence } from '@workflowlookup/core/sessions';
import type { JsonObject } from '@workflowlookup/schema';
import {
  jsonAnswer,
  defineTool,
  writeAnnotations,
  argumentsSchema,
  sessionToken,
  texts,
} from '../tool-support/tool.ts';
import { evidenceJson } from '../tool-support/session-json.ts';

interface CollectEvidenceArgs {
  readonly session_token: string;
  readonly evidence_ids?: readonly string[];
  readonly wait_ms?: number;
  readonly statement?: string;
}

/** How long a call waits for its commands unless it says otherwise. Clients end calls that take a minute. */
const defaultWaitMs = 45_000;

const longestWaitMs = 600_000;

/** `collect_evidence`: has the server run the checks that the current activity asks for. */
export const collectEvidence = defineTool<CollectEvidenceArgs>({
  name: 'collect_evidence',
  title: 'Collect evidence',
  description:
    'Collects the evidence that the current activity asks for: runs its checks, looks at files. Call it before next_activity, again while a check runs.',
  inputSchema: argumentsSchema(
    {
      session_token: sessionToken,
      evidence_ids: { ...texts('Only these; default: all still needed'), maxItems: 100 },
      wait_ms: {
        type: 'integer',
        description: `Default ${defaultWaitMs}`,
        minimum: 0,
        maximum: longestWaitMs,
      },
      // Its length is checked where it is read.
      statement: { type: 'string', description: 'Signed by CI' },
    },
    ['session_token'],
  ),
  // It runs commands of the project, which may do anything that its files say.
  annotations: { ...writeAnnotations, openWorldHint: true },
  examples: {
    request: { method: 'collect_evidence', params: { session_token: 'wl_…' } },
    response: {
      evidence: [
        {
          evidence_id: 'tests',
          activity_id: 'build',
          status: 'passed',
          level: 'rerun',
          freshness: 'fresh',
          collected_level: 'rerun',
          at: '2026-01-01T12:00:00.000Z',
          check: 'test',
          command: 'npm test',
          exit_code: 0,
        },
      ],
      session_token: 'wl_…',
    },
  },
  waits: ({ wait_ms: waitMs = defaultWaitMs }) => waitMs > 0,
  async run({ sessions, signal, progress }, args) {
    const { session_token: token, evidence_ids: evidenceIds, statement } = args;
    const { wait_ms: waitMs = defaultWaitMs } = args;
    let told = 0;
    const reply = await sessions.collect(token, {
      waitMs,
      signal,
      ...(evidenceIds !== undefined && { evidenceIds }),
      ...(statement !== undefined && { statement }),
      ...(progress !== undefined && {
        onProgress: ({ id, elapsedMs, lastLine }) => {
          // The number has to grow, also while several checks run.
          told += 1;
          progress({
            progress: told,
            message: `${id}: ${Math.round(elapsedMs / 1000)} s ${lastLine}`.trim(),
          });
        },
      }),
    });
    return jsonAnswer(reply, { evidence: reply.value.evidence.map(collectedJson) });
  },
});

function collectedJson({ running, message, ...standing }: CollectedEvidence): JsonObject {
  if (running !== undefined)
    return {
      evidence_id: standing.id,
      activity_id: standing.activity,
      status: 'running',
      elapsed_ms: running.elapsedMs,
      ...(running.lastLine !== '' && { last_line: running.lastLine }),
    };
  return { ...evidenceJson(standing), ...(message !== undefined && { message }) };
}
