import { ownValue } from '../session/session-state.ts';
import type {
  ActivityInsight,
  AgentInsight,
  Durations,
  EvidenceInsight,
  Insights,
  LargeSession,
  PersonInsight,
  ResultInsight,
} from './insights.ts';

type Cell = string | number | undefined;

/** The names that the author of a workflow gave to it and to its parts. */
export interface WorkflowNames {
  readonly name: string;
  /** Of activities, or of the steps of a step workflow, by id. */
  readonly activities: Readonly<Record<string, string>>;
  /** Of the steps inside activities, by id. */
  readonly steps: Readonly<Record<string, string>>;
}

const columns = ['figure', 'workflow', 'subject', 'detail', 'measure', 'value', 'sessions'];

/**
 * Returns insights as CSV with one figure in each line, so that spreadsheets can filter and pivot it. The columns are
 * `figure`, `workflow`, `subject`, `detail`, `measure`, `value` and `sessions`, and with the names of workflows also
 * `workflow_name` and `place_name`: the activity and the step.
 */
export function insightsCsv(insights: Insights, names?: Readonly<Record<string, WorkflowNames>>): string {
  const head = names === undefined ? columns : [...columns, 'workflow_name', 'place_name'];
  const lines = rowsOf(insights).flatMap(({ about, measures, sessions, place }) =>
    Object.entries(measures).map(([measure, value]) => {
      if (names === undefined) return [...about, measure, value, sessions];
      const [figure, workflow, subject, detail] = about;
      const known = ownValue(names, workflow);
      const shown = words[`${figure} ${subject}`] ?? subject;
      const named = measure === 'running' ? 'not finished' : measure;
      const at = place && placeName(known, place);
      return [figure, workflow, shown, detail, named, value, sessions, known?.name, at];
    }),
  );
  return [head, ...lines].map((line) => `${line.map(cellText).join(',')}\r\n`).join('');
}

/** Readable words for ids, used in a CSV with names. */
const words: Readonly<Record<string, string>> = {
  'person human': 'a person',
  'person agent': 'an agent',
};

function placeName(known: WorkflowNames | undefined, { activity, step = '' }: Place): string {
  // A step workflow has no activities around its steps.
  const inside = step === activity ? '' : step;
  return [
    (known && ownValue(known.activities, activity)) ?? activity,
    (known && ownValue(known.steps, inside)) ?? inside,
  ]
    .filter(Boolean)
    .join(': ');
}

/** An activity, and the step in it. */
interface Place {
  readonly activity: string;
  readonly step?: string;
}

type Measures = Readonly<Record<string, number>>;

/** What is counted of one thing. Each measure becomes a line. */
interface Row {
  readonly about: readonly [figure: string, workflow: string, subject: string, detail: string];
  readonly measures: Measures;
  readonly sessions: number;
  readonly place?: Place;
}

/** @param about the cells before the measure */
function row(about: Row['about'], measures: Measures, of: Pick<Row, 'sessions'>, place?: Place): Row {
  return { about, measures, sessions: of.sessions, ...(place !== undefined && { place }) };
}

function rowsOf(insights: Insights): readonly Row[] {
  return [
    row(['all', '', '', ''], totals(insights), insights),
    ...insights.workflows.map((one) => row(['workflow', one.workflowId, '', ''], resultsOf(one), one)),
    ...insights.outcomes.map((one) =>
      row(['outcome', one.workflowId, one.outcome, one.result ?? ''], { sessions: one.sessions }, one),
    ),
    ...insights.refusals.map((one) =>
      row(['refusal', one.workflowId, pathOf(one), one.criterion], { refusals: one.count }, one, one),
    ),
    ...insights.activities.map((one) =>
      row(['activity', one.workflowId, one.activity, ''], visitsOf(one), one, one),
    ),
    ...insights.agents.map((one) => row(['agent', '', one.agent, ''], callsOf(one), one)),
    ...insights.agentRefusals.map((one) =>
      row(['agent_refusal', one.workflowId, one.agent, pathOf(one)], { refused: one.refused }, one, one),
    ),
    ...insights.largest.map((one) =>
      row(['session', one.workflowId, one.sid, one.title], callsOf(one), { sessions: 1 }),
    ),
    ...insights.people.map((one) => row(['person', '', one.person, one.assurance ?? ''], waitsOf(one), one)),
    ...insights.evidence.map((one) =>
      row(['evidence', one.workflowId, one.activity, one.evidence], collectedOf(one), one, one),
    ),
    ...insights.hooks.map((one) => row(['hook', '', one.action, ''], { actions: one.count }, one)),
    ...insights.days.map((one) => row(['day', '', one.day, ''], resultsOf(one), one)),
  ];
}

function pathOf({ activity, step }: { readonly activity: string; readonly step: string }): string {
  return step === '' ? activity : `${activity}/${step}`;
}

function resultsOf(counts: ResultInsight): Measures {
  const { sessions, success, failure, stopped, other, running, refused } = counts;
  return { sessions, success, failure, stopped, other, running, refused };
}

function visitsOf({ visits, retries, refused, work, waited, open }: ActivityInsight): Measures {
  const measures = { visits, retries, refused, ...seconds('work', work), waited_seconds: waited };
  return { ...measures, open_checkpoints: open.checkpoints, open_waited_seconds: open.seconds };
}

function callsOf({ calls, refused, readTokens }: LargeSession | AgentInsight): Measures {
  return { calls, refused, read_tokens: readTokens };
}

function waitsOf({ waits }: PersonInsight): Measures {
  return { answers: waits.count, ...seconds('waiting', waits) };
}

function collectedOf({ passed, failed, notConfigured }: EvidenceInsight): Measures {
  return { passed, failed, not_configured: notConfigured };
}

function totals(insights: Insights): Measures {
  const { sessions, running, completed, followed, unverified } = insights;
  const { waiting, calls, readTokens, duration, output } = insights;
  return {
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
}

function seconds(name: string, { total, median, p90 }: Durations): Measures {
  return { [`${name}_seconds`]: total, [`${name}_seconds_median`]: median, [`${name}_seconds_p90`]: p90 };
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it, because agents write some of them. */
function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
  const text = /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
