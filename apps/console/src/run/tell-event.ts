import type { Json } from '@workflowlookup/schema';
import type { EventsPage } from '../contract.ts';
import { effectSentences } from '../gates/effect-sentences.ts';
import { shortText } from '../parts/short-text.ts';
import type { Tone } from '../parts/tone.tsx';
import { answerWord, whoAnswered } from './answer-words.ts';

const maxValue = 200;

type JournalEvent = EventsPage['events'][number]['event'];
type Told = { readonly tone: Tone; readonly title: string; readonly lines: readonly string[] };

/** An event as people read it. */
export function tellEvent(event: JournalEvent): Told {
  switch (event.type) {
    case 'session-started':
      return {
        tone: 'current',
        title: `Started on ${event.workflowId} ${event.version}`,
        lines: [
          `Enforcement: ${event.enforcement}.`,
          ...setLines(onlyNamed(event.variables, event.assigned)),
        ],
      };
    case 'activity-entered':
      return {
        tone: 'current',
        title: event.from === undefined ? `Entered ${event.activity}` : `${event.from} → ${event.activity}`,
        lines: moveLines(event),
      };
    case 'checkpoint-yielded':
      return { tone: 'waits', title: `Stopped at ${event.checkpoint}`, lines: [`In ${event.activity}.`] };
    case 'checkpoint-answered':
      return {
        tone: 'done',
        title: `${event.checkpoint}: ${answerWord(event.answer)}`,
        lines: answerLines(event),
      };
    case 'session-completed':
      return event.outcome === 'abandoned'
        ? { tone: 'skipped', title: `Abandoned${by(event.person)}`, lines: moveLines(event) }
        : { tone: 'done', title: 'Completed', lines: moveLines(event) };
  }
}

function moveLines({
  manifest,
  variables,
  warnings,
  condition,
}: Extract<JournalEvent, { readonly type: 'activity-entered' | 'session-completed' }>): readonly string[] {
  const steps = manifest.map(({ step_id: id }) => id).join(', ');
  return [
    ...(steps === '' ? [] : [`Done: ${steps}.`]),
    ...(condition === '' ? [] : [`Because: ${condition}.`]),
    ...setLines(variables),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
}

function answerLines(
  event: Extract<JournalEvent, { readonly type: 'checkpoint-answered' }>,
): readonly string[] {
  const { note, variables, effect } = event;
  return [
    `Answered by ${whoAnswered(event)}.`,
    ...(note === undefined ? [] : [`“${note}”`]),
    ...effectSentences(effect === undefined ? undefined : { ...effect, setVariable: {} }),
    ...setLines(variables),
  ];
}

function setLines(variables: Readonly<Record<string, Json>>): readonly string[] {
  return Object.entries(variables).map(
    ([name, value]) => `${name} = ${shortText(JSON.stringify(value), maxValue)}`,
  );
}

function onlyNamed(
  variables: Readonly<Record<string, Json>>,
  names: readonly string[],
): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => names.includes(name)));
}

function by(person: string | undefined): string {
  return person === undefined ? '' : ` by ${person}`;
}
