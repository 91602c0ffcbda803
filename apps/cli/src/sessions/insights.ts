import type {
  ActivityInsight,
  Durations,
  Insights,
  InsightsQuery,
  WorkflowInsight,
} from '@workflowlookup/core/operator';
import { insightsCsv } from '@workflowlookup/core/operator';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../commands/command-line.ts';
import { defined, exitCodes, present } from '../commands/command-line.ts';
import { insightMessages, insightRows } from '../messages/sessions.ts';
import { columns, roundEstimate } from '../terminal/plain-text.ts';
import type { SessionsContext } from './context.ts';
import { readAge } from './context.ts';

export interface InsightsOptions {
  readonly newer?: string;
  readonly older?: string;
  readonly csv?: boolean;
}

/** The most rows of each table on a terminal. `--json` and `--csv` have all of them. */
const maxRows = 15;

export async function insights(
  { operator, state, answer, asJson, terminal }: SessionsContext,
  workflow: string | undefined,
  { newer, older, csv = false }: InsightsOptions,
): Promise<ExitCode> {
  if (csv && asJson) throw new WorkflowError('INVALID_INPUT', insightMessages.oneFormat());
  const query: InsightsQuery = defined({
    workflowId: workflow,
    since: newer === undefined ? undefined : readAge(newer),
    before: older === undefined ? undefined : readAge(older),
  });
  // Reading must not create a database.
  const found = state.isMade() ? await operator.insights(query) : undefined;
  if (csv) {
    // CSV of a file has CRLF, but \r would be printed as an escape.
    if (found !== undefined) await terminal.print(insightsCsv(found).replaceAll('\r\n', '\n'));
    return exitCodes.ok;
  }
  return answer(found ?? { sessions: 0 }, () =>
    found === undefined || found.sessions === 0
      ? insightMessages.none(state.place)
      : [overview(found), ...tables(found)].join('\n\n'),
  );
}

function overview(found: Insights): string {
  const { sessions, running, completed, followed, unverified } = found;
  const { waiting, calls, readTokens, duration } = found;
  const { of, readInSession, spread, waits } = insightMessages;
  const { median, total } = waiting.waits;
  const share = percent(calls.refused, calls.total);
  const rows = [
    ['Sessions', insightMessages.sessions(sessions, running, completed)],
    [
      insightRows.followed,
      followed.of === 0 ? '-' : of(percent(followed.sessions, followed.of), followed.of),
    ],
    [
      insightRows.waiting,
      waiting.checkpoints === 0 ? '0' : waits(waiting.checkpoints, timeText(median), timeText(total)),
    ],
    ['Duration', spread(timeText(duration.median), timeText(duration.p90))],
    [insightRows.calls, spread(calls.median, calls.p90)],
    readTokens.sessions > 0 && [
      insightRows.readTokens,
      readInSession(roundEstimate(readTokens.median), roundEstimate(readTokens.p90)),
    ],
    [insightRows.refused, `${of(calls.refused, calls.total)} (${share})`],
    unverified > 0 && [insightRows.unverified, insightMessages.unverified(unverified)],
  ];
  return columns(present(rows));
}

function tables(found: Insights): readonly string[] {
  return [
    table(
      'WORKFLOW,SESSIONS,NOT FINISHED,ENDED,SUCCESS,FAILURE,STOPPED,OTHER,REFUSED CALLS',
      // The rows above say the same of a single workflow.
      found.workflows.length < 2 ? [] : found.workflows.map(workflowRow),
    ),
    table(
      'OUTCOME,WORKFLOW,RESULT,SESSIONS',
      rowsOf(found.outcomes, 'outcome', 'workflowId', 'result', 'sessions'),
    ),
    table(
      'REFUSED BECAUSE,WORKFLOW,ACTIVITY,STEP,TIMES,SESSIONS',
      rowsOf(found.refusals, 'criterion', 'workflowId', 'activity', 'step', 'count', 'sessions'),
    ),
    table('ACTIVITY,WORKFLOW,SESSIONS,RETRIES,REFUSED,MEDIAN,90 %,WAITED', found.activities.map(activityRow)),
    table('AGENT,SESSIONS,CALLS,REFUSED,SHARE,TOKENS READ', found.agents.map(agentRow)),
    table(
      'REFUSED AGENT,WORKFLOW,ACTIVITY,STEP,REFUSED,SESSIONS',
      rowsOf(found.agentRefusals, 'agent', 'workflowId', 'activity', 'step', 'refused', 'sessions'),
    ),
    table('LARGEST SESSION,WORKFLOW,TITLE,CALLS,REFUSED,TOKENS READ', found.largest.map(largestRow)),
    table('ANSWERED BY,CHECKPOINTS,MEDIAN WAIT,90 %,ALL', [
      ...(found.waiting.checkpoints === 0
        ? []
        : [[insightMessages.nobodyYet(), ...waitCells(found.waiting.waits)]]),
      ...found.people.map(({ person, assurance, waits }) => [
        assurance === undefined ? person : insightMessages.byClient(person),
        ...waitCells(waits),
      ]),
    ]),
    table(
      'EVIDENCE,WORKFLOW,ACTIVITY,PASSED,FAILED,NO CHECK,SESSIONS',
      rowsOf(
        found.evidence,
        'evidence',
        'workflowId',
        'activity',
        'passed',
        'failed',
        'notConfigured',
        'sessions',
      ),
    ),
    table('HOOK,TIMES,SESSIONS', rowsOf(found.hooks, 'action', 'count', 'sessions')),
  ].filter((text) => text !== '');
}

type Cell = number | string;
type Row = readonly Cell[];

/** Returns a row with these values for each one of a list. */
function rowsOf<Name extends string>(
  list: readonly Readonly<Partial<Record<Name, Cell | undefined>>>[],
  ...names: readonly Name[]
): readonly Row[] {
  return list.map((one) => names.map((name) => one[name] ?? ''));
}

function workflowRow(one: WorkflowInsight): Row {
  const ended = one.sessions - one.running;
  const results = [one.success, one.failure, one.stopped, one.other].map((count) =>
    count === 0 ? '0' : `${count} (${percent(count, ended)})`,
  );
  return [one.workflowId, one.sessions, one.running, ended, ...results, one.refused];
}

function activityRow(one: ActivityInsight): Row {
  const { work, waited, open } = one;
  const times = [timeText(work.median), timeText(work.p90)];
  const waits = open.checkpoints === 0 ? '' : ` ${insightMessages.open(open.checkpoints)}`;
  const counts = [one.sessions, one.retries, one.refused];
  return [one.activity, one.workflowId, ...counts, ...times, `${timeText(waited)}${waits}`];
}

function agentRow({ agent, sessions, calls, refused, readTokens }: Insights['agents'][number]): Row {
  return [agent, sessions, calls, refused, percent(refused, calls), tokensText(readTokens)];
}

function largestRow({
  sid,
  workflowId,
  title,
  calls,
  refused,
  readTokens,
}: Insights['largest'][number]): Row {
  return [sid, workflowId, title, calls, refused, tokensText(readTokens)];
}

function waitCells({ count, median, p90, total }: Durations): Row {
  return [count, timeText(median), timeText(p90), timeText(total)];
}

/** Formats a table whose heading is a list, separated by commas. Returns an empty text without rows. */
function table(heading: string, rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const shown = rows.slice(0, maxRows).map((row) => row.map((cell) => String(cell).slice(0, 80)));
  const more = rows.length > maxRows ? `\n${insightMessages.more(rows.length - maxRows)}` : '';
  return columns([heading.split(','), ...shown]) + more;
}

/** Sessions of older versions have no text that was counted. */
function tokensText(tokens: number): string {
  return tokens === 0 ? '-' : insightMessages.about(roundEstimate(tokens));
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${Math.round((100 * part) / whole)} %`;
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${(seconds / 3_600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} d`;
}
