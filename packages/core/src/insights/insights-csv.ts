import type { Durations, Insights, ResultInsight } from './insights.ts';

type Cell = string | number | undefined;

/**
 * Returns insights as CSV with one figure in each line, so that spreadsheets can filter and pivot it. The columns are
 * `figure`, `workflow`, `subject`, `detail`, `measure`, `value` and `sessions`.
 */
export function insightsCsv(insights: Insights): string {
  const rows: readonly (readonly Cell[])[] = [
    ['figure', 'workflow', 'subject', 'detail', 'measure', 'value', 'sessions'],
    ...totals(insights),
    ...insights.workflows.flatMap(({ workflowId, ...counts }) =>
      resultMeasures(counts).map(([measure, value]) => [
        'workflow',
        workflowId,
        '',
        '',
        measure,
        value,
        counts.sessions,
      ]),
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
        }).map(([measure, value]) => ['activity', workflowId, activity, '', measure, value, sessions]),
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
    ...insights.people.flatMap(({ person, waits, sessions }) =>
      Object.entries({ answers: waits.count, ...seconds('waiting', waits) }).map(([measure, value]) => [
        'person',
        '',
        person,
        '',
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
    ...insights.days.flatMap(({ day, ...counts }) =>
      resultMeasures(counts).map(([measure, value]) => ['day', '', day, '', measure, value, counts.sessions]),
    ),
  ];
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function resultMeasures({
  sessions,
  success,
  failure,
  stopped,
  other,
  running,
  refused,
}: Omit<ResultInsight, 'resultTags'>): readonly (readonly [measure: string, value: number])[] {
  return Object.entries({ sessions, success, failure, stopped, other, running, refused });
}

function totals(insights: Insights): readonly (readonly Cell[])[] {
  const { sessions, running, completed, followed, unverified } = insights;
  const { waiting, calls, readTokens, duration, output } = insights;
  const measures = {
    sessions,
    running,
    completed,
    followed_plan: followed.sessions,
    followed_plan_of: followed.of,
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
