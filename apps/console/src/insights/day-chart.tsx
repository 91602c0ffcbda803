import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ScrollTable } from '../components/lists.tsx';
import type { InsightsReply } from '../contract.ts';
import { insightMessages } from '../messages/insights.ts';

const { days: messages } = insightMessages;

const route = getRouteApi('/insights');

type Day = InsightsReply['days'][number];

/** From the bottom of a bar to its top. */
const results = ['success', 'other', 'stopped', 'failure', 'running'] as const;
/** More bars would be too thin to point at. */
const maxDays = 60;
/** As in the style sheet. */
const maxBarRem = 6;

/** Renders a bar for each day, stacked by how the sessions ended. A table below it has the same figures. */
export function DayChart({ days }: Pick<InsightsReply, 'days'>): ReactNode {
  const search = route.useSearch();
  const shown = everyDay(days).slice(-maxDays);
  const most = Math.max(1, ...shown.map(({ sessions }) => sessions));
  const used = results.filter((result) => shown.some((day) => day[result] > 0));
  return (
    <section className="card stack">
      <h2>{messages.title}</h2>
      <ul className="chart-key" aria-hidden>
        {used.map((result) => (
          <li key={result} data-result={result}>
            {messages.results[result]}
          </li>
        ))}
      </ul>
      <ol className="chart" aria-label={messages.label}>
        {shown.map((day) => (
          <li key={day.day}>
            {day.sessions > 0 && (
              <Link
                to="/sessions"
                search={{ ...search, tag: day.tag }}
                aria-label={messages.bar(day.day, countsOf(day))}
                title={messages.bar(day.day, countsOf(day))}
              >
                <span className="chart-bar" style={{ height: `${(100 * day.sessions) / most}%` }}>
                  {used
                    .toReversed()
                    .filter((result) => day[result] > 0)
                    .map((result) => (
                      <span key={result} data-result={result} style={{ flexGrow: day[result] }} />
                    ))}
                </span>
              </Link>
            )}
          </li>
        ))}
      </ol>
      <p className="row-apart small muted chart-days" style={{ maxWidth: `${shown.length * maxBarRem}rem` }}>
        <span>{shown[0]?.day}</span>
        {(shown[0]?.day ?? '') > (days[0]?.day ?? '') && <span>{messages.only(maxDays)}</span>}
        {shown.length > 1 && <span>{shown.at(-1)?.day}</span>}
      </p>
      <details>
        <summary>{messages.table}</summary>
        <DayTable days={shown.filter(({ sessions }) => sessions > 0)} />
      </details>
    </section>
  );
}

const noSessions = {
  tag: '',
  sessions: 0,
  success: 0,
  failure: 0,
  stopped: 0,
  other: 0,
  running: 0,
  refused: 0,
};
const dayMs = 86_400_000;

/** Adds the days without sessions, at most as many as are shown, so that a pause is seen as one. */
function everyDay(days: readonly Day[]): readonly Day[] {
  const last = Date.parse(days.at(-1)?.day ?? '');
  const first = Math.max(Date.parse(days[0]?.day ?? ''), last - (maxDays - 1) * dayMs);
  const known = new Map(days.map((day) => [day.day, day]));
  const all: Day[] = [];
  for (let atMs = first; atMs <= last; atMs += dayMs) {
    const day = new Date(atMs).toISOString().slice(0, 10);
    all.push(known.get(day) ?? { day, ...noSessions });
  }
  return all;
}

function countsOf(day: Day): string {
  const counts = results.filter((result) => day[result] > 0);
  return counts.map((result) => `${day[result]} ${messages.results[result]}`).join(', ');
}

function DayTable({ days }: { readonly days: readonly Day[] }): ReactNode {
  const { columns } = messages;
  return (
    <ScrollTable label={messages.label}>
      <thead>
        <tr>
          <th scope="col">{columns.day}</th>
          <th scope="col" className="number">
            {columns.sessions}
          </th>
          {results.map((result) => (
            <th key={result} scope="col" className="number">
              {messages.results[result]}
            </th>
          ))}
          <th scope="col" className="number">
            {columns.refused}
          </th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.day}>
            <th scope="row">{day.day}</th>
            {[day.sessions, ...results.map((result) => day[result]), day.refused].map((count, at) => (
              // The cells of a row never change their order.
              <td key={`${day.day} ${at}`} className="number">
                {count}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
