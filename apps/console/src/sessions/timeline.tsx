import { useInfiniteQuery } from '@tanstack/react-query';
import type { Json } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { journalQuery } from '../api/queries.ts';
import { truncate } from '../components/format.ts';
import { Loaded, MoreButton } from '../components/loading.tsx';
import { Moment } from '../components/time.tsx';
import type { Tone } from '../components/tags.tsx';
import { ToneIcon } from '../components/tags.tsx';
import type { EventsPage } from '../contract.ts';
import { answerText, answeredBy, effectSentences } from '../messages/checkpoints.ts';
import { sessionMessages } from '../messages/sessions.ts';

const { events: messages } = sessionMessages;

export function TimelineTab({ sid }: { readonly sid: string }): ReactNode {
  const query = useInfiniteQuery(journalQuery(sid));
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <>
          <ol className="timeline card">
            {pages
              .flatMap(({ events }) => events)
              .map(({ revision, at, event }) => {
                const { tone, title, lines } = describeEvent(event);
                return (
                  <li key={revision} data-tone={tone}>
                    <ToneIcon tone={tone} size={16} />
                    <div className="stack-tight">
                      <span className="row-apart">
                        <strong>{title}</strong>
                        <span className="small muted">
                          {revision} · <Moment at={at} />
                        </span>
                      </span>
                      {lines.map((line) => (
                        <p key={line} className="small muted">
                          {line}
                        </p>
                      ))}
                    </div>
                  </li>
                );
              })}
          </ol>
          <MoreButton query={query}>{messages.more}</MoreButton>
        </>
      )}
    </Loaded>
  );
}

const maxValue = 200;

type JournalEvent = EventsPage['events'][number]['event'];
type EventDescription = { readonly tone: Tone; readonly title: string; readonly lines: readonly string[] };

function describeEvent(event: JournalEvent): EventDescription {
  switch (event.type) {
    case 'session-started':
      return {
        tone: 'current',
        title: messages.started(event.workflowId, event.version),
        lines: [
          messages.enforcement(event.enforcement),
          ...setLines(pickNamed(event.variables, event.assigned)),
        ],
      };
    case 'activity-entered':
      return {
        tone: 'current',
        title:
          event.from === undefined
            ? messages.entered(event.activity)
            : messages.moved(event.from, event.activity),
        lines: moveLines(event),
      };
    case 'checkpoint-yielded':
      return {
        tone: 'waits',
        title: messages.reachedCheckpoint(event.checkpoint),
        lines: [messages.inActivity(event.activity)],
      };
    case 'checkpoint-answered':
      return {
        tone: 'done',
        title: messages.answered(event.checkpoint, answerText(event.answer)),
        lines: answerLines(event),
      };
    case 'evidence-collected': {
      const { outcome, level, reasons } = event.result;
      return {
        tone: outcome === 'passed' ? 'done' : 'skipped',
        title: messages.evidence(event.evidence, outcome, level),
        lines: reasons,
      };
    }
    case 'session-completed':
      return event.outcome === 'abandoned'
        ? { tone: 'skipped', title: messages.abandoned(event.person), lines: moveLines(event) }
        : { tone: 'done', title: messages.completed, lines: moveLines(event) };
    case 'session-parked':
      return {
        tone: 'skipped',
        title: messages.parked(event.by, event.person),
        lines: [messages.parkedBecause(event.reason)],
      };
    case 'session-resumed':
      return { tone: 'current', title: messages.resumed(event.by, event.person), lines: [] };
  }
}

function moveLines({
  manifest,
  variables,
  warnings,
  condition,
}: Extract<JournalEvent, { readonly type: 'activity-entered' | 'session-completed' }>): readonly string[] {
  const done = manifest.filter(({ not_done: reason }) => reason === undefined);
  const steps = done.map(({ step_id: id }) => id).join(', ');
  return [
    ...(steps === '' ? [] : [messages.done(steps)]),
    ...manifest.flatMap(({ step_id: id, not_done: reason }) =>
      reason === undefined ? [] : [messages.notDone(id, reason)],
    ),
    ...(condition === '' ? [] : [messages.because(condition)]),
    ...setLines(variables),
    ...warnings.map((warning) => messages.warning(warning)),
  ];
}

function answerLines(
  event: Extract<JournalEvent, { readonly type: 'checkpoint-answered' }>,
): readonly string[] {
  const { note, variables, effect } = event;
  return [
    messages.answeredBy(answeredBy(event)),
    ...(note === undefined ? [] : [messages.note(note)]),
    ...effectSentences(effect === undefined ? undefined : { ...effect, setVariable: {} }),
    ...setLines(variables),
  ];
}

function setLines(variables: Readonly<Record<string, Json>>): readonly string[] {
  return Object.entries(variables).map(([name, value]) =>
    messages.variable(name, truncate(JSON.stringify(value), maxValue)),
  );
}

function pickNamed(
  variables: Readonly<Record<string, Json>>,
  names: readonly string[],
): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => names.includes(name)));
}
