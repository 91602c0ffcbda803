import type { Durations, Insights, ResultInsight } from './insights.ts';

type Cell = string | number | undefined;

/** The names that the author of a workflow gave to it and to its parts. */
export interface WorkflowNames {
  readonly name: string;
  /** Of activities, or of the steps of a step workflow, by id. */
  readonly activities: Readonly<Record<string, string>>;
  /** Of the steps inside activities, by id. */
  readonly steps: Readonly<Record<string, string>>;
}

type Names = Readonly<Record<string, WorkflowNames>>;

const columns = ['figure', 'workflow', 'subject', 'detail', 'measure', 'value', 'sessions'];

/**
 * Returns insights as CSV with one figure in each line, so that spreadsheets can filter and pivot it. The columns are
 * `figure`, `workflow`, `subject`, `detail`, `measure`, `value` and `sessions`, and with the names of workflows also
 * `workflow_name` and `place_name`: the activity and the step.
 */
export function insightsCsv(insights: Insights, names?: Readonly<Record<string, WorkflowNames>>): string {
  const rows = rowsOf(insights, (place) => placeName(names, place));
  const lines =
    names === undefined
      ? [columns, ...rows.map((row) => row.slice(0, columns.length))]
      : [
          [...columns, 'workflow_name', 'place_name'],
          ...rows.map((row) => [
            ...row.slice(0, columns.length).map((cell, at) => inWords(row, cell, at)),
            ownValue(names, String(row[1]))?.name,
            row[columns.length],
          ]),
        ];
  return lines.map((line) => `${line.map(cellText).join(',')}\r\n`).join('');
}

/** Readable words for ids, used in a CSV with names. */
const words: Readonly<Record<string, string>> = {
  'person human': 'a person',
  'person agent': 'an agent',
};

function inWords([figure]: readonly Cell[], cell: Cell, at: number): Cell {
  if (columns[at] === 'measure' && cell === 'running') return 'not finished';
  return columns[at] === 'subject' ? (words[`${figure} ${cell}`] ?? cell) : cell;
}

interface Place {
  readonly workflowId: string;
  readonly activity: string;
  readonly step?: string;
}

function placeName(names: Names | undefined, { workflowId, activity, step = '' }: Place): string {
  const known = ownValue(names, workflowId);
  // A step workflow has no activities around its steps.
  const inside = step === activity ? '' : step;
  return [ownValue(known?.activities, activity) ?? activity, ownValue(known?.steps, inside) ?? inside]
    .filter(Boolean)
    .join(': ');
}

/** Returns the cells of each figure. One about an activity also has the name of its place, after the other columns. */
function rowsOf(insights: Insights, nameOf: (place: Place) => string): readonly (readonly Cell[])[] {
  return [
    ...totals(insights),
    ...insights.workflows.flatMap(({ workflowId, ...counts }) =>
      resultRows(['workflow', workflowId, ''], counts),
    ),
    ...insights.outcomes.map(({ workflowId, outcome, result, sessions }) => [
      'outcome',
      workflowId,
      outcome,
      result,
      'sessions',
      sessions,
      sessions,
    ]),
    ...insights.refusals.map(({ workflowId, activity, step, criterion, count, sessions }) => [
      'refusal',
      workflowId,
      step === '' ? activity : `${activity}/${step}`,
      criterion,
      'refusals',
      count,
      sessions,
      nameOf({ workflowId, activity, step }),
    ]),
    ...insights.activities.flatMap(
      ({ workflowId, activity, visits, retries, refused, work, waited, open, sessions }) =>
        Object.entries({
          visits,
          retries,
          refused,
          ...seconds('work', work),
          waited_seconds: waited,
          open_checkpoints: open.checkpoints,
          open_waited_seconds: open.seconds,
        }).map(([measure, value]) => [
          'activity',
          workflowId,
          activity,
          '',
          measure,
          value,
          sessions,
          nameOf({ workflowId, activity }),
        ]),
    ),
    ...insights.agents.flatMap(({ agent, calls, refused, readTokens, sessions }) =>
      Object.entries({ calls, refused, read_tokens: readTokens }).map(([measure, value]) => [
        'agent',
        '',
        agent,
        '',
        measure,
        value,
        sessions,
      ]),
    ),
    ...insights.agentRefusals.map(({ agent, workflowId, activity, step, refused, sessions }) => [
      'agent_refusal',
      workflowId,
      agent,
      step === '' ? activity : `${activity}/${step}`,
      'refused',
      refused,
      sessions,
      nameOf({ workflowId, activity, step }),
    ]),
    ...insights.largest.flatMap(({ sid, workflowId, title, calls, refused, readTokens }) =>
      Object.entries({ calls, refused, read_tokens: readTokens }).map(([measure, value]) => [
        'session',
        workflowId,
        sid,
        title,
        measure,
        value,
        1,
      ]),
    ),
    ...insights.people.flatMap(({ person, assurance = '', waits, sessions }) =>
      Object.entries({ answers: waits.count, ...seconds('waiting', waits) }).map(([measure, value]) => [
        'person',
        '',
        person,
        assurance,
        measure,
        value,
        sessions,
      ]),
    ),
    ...insights.evidence.flatMap(
      ({ workflowId, activity, evidence, passed, failed, notConfigured, sessions }) =>
        Object.entries({ passed, failed, not_configured: notConfigured }).map(([measure, value]) => [
          'evidence',
          workflowId,
          activity,
          evidence,
          measure,
          value,
          sessions,
          nameOf({ workflowId, activity }),
        ]),
    ),
    ...insights.hooks.map(({ action, count, sessions }) => [
      'hook',
      '',
      action,
      '',
      'actions',
      count,
      sessions,
    ]),
    ...insights.days.flatMap(({ day, ...counts }) => resultRows(['day', '', day], counts)),
  ];
}

/** An id can be a name that every object has, such as `constructor`. */
function ownValue<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  key: string,
): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function resultRows(
  about: readonly [figure: string, workflow: string, subject: string],
  { sessions, success, failure, stopped, other, running, refused }: Omit<ResultInsight, 'resultTags'>,
): readonly (readonly Cell[])[] {
  const measures = { sessions, success, failure, stopped, other, running, refused };
  return Object.entries(measures).map(([measure, value]) => [...about, '', measure, value, sessions]);
}

function totals(insights: Insights): readonly (readonly Cell[])[] {
  const { sessions, running, completed, followed, unverified } = insights;
  const { waiting, calls, readTokens, duration, output } = insights;
  const measures = {
    sessions,
    running,
    completed,
    followed_workflow: followed.sessions,
    followed_workflow_of: followed.of,
    unverified,
    waiting_checkpoints: waiting.checkpoints,
    ...seconds('waiting', waiting.waits),
    calls: calls.total,
    refused_calls: calls.refused,
    calls_median: calls.median,
    calls_p90: calls.p90,
    read_tokens: readTokens.total,
    read_tokens_median: readTokens.median,
    read_tokens_p90: readTokens.p90,
    read_tokens_sessions: readTokens.sessions,
    ...seconds('duration', duration),
    output_characters: output.total,
    output_characters_median: output.median,
    output_characters_p90: output.p90,
  };
  return Object.entries(measures).map(([measure, value]) => ['all', '', '', '', measure, value, sessions]);
}

function seconds(name: string, { total, median, p90 }: Durations): Readonly<Record<string, number>> {
  return { [`${name}_seconds`]: total, [`${name}_seconds_median`]: median, [`${name}_seconds_p90`]: p90 };
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it, because agents write some of them. */
function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
  const text = /^[=+\-@＝＋－＠\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
