import type { RecordedEvent, SessionEvent } from '@workflowlookup/core';
import { plainLine } from '../plain-text.ts';
import { answererText, answerText } from './answer-text.ts';
import { momentText } from '../render/times.ts';

/** An event of a journal on one line. */
export function eventText({ revision, at, event }: RecordedEvent): string {
  return `${momentText(at)}  ${String(revision).padStart(3)}  ${describe(event)}`;
}

function describe(event: SessionEvent): string {
  switch (event.type) {
    case 'session-started':
      return `started on ${plainLine(event.workflowId)} ${plainLine(event.version)}`;
    case 'activity-entered':
      return `entered ${plainLine(event.activity)}${stepsText(event)}${warningsText(event)}`;
    case 'checkpoint-yielded':
      return `stopped at checkpoint ${plainLine(event.checkpoint)}`;
    case 'checkpoint-answered': {
      const note = event.note === undefined ? '' : `: ${plainLine(event.note)}`;
      return `checkpoint ${plainLine(event.checkpoint)} answered ${answerText(event.answer)} by ${answererText(event)}${note}`;
    }
    case 'session-completed':
      return event.outcome === undefined
        ? `completed${stepsText(event)}${warningsText(event)}`
        : `abandoned${event.person === undefined ? '' : ` by ${plainLine(event.person)}`}`;
  }
}

interface Moved {
  readonly from?: string;
  readonly manifest: readonly { readonly step_id: string }[];
  readonly warnings: readonly string[];
}

function stepsText({ from, manifest }: Moved): string {
  if (from === undefined) return '';
  const steps = manifest.map(({ step_id: id }) => plainLine(id)).join(', ');
  return ` after ${plainLine(from)}${steps === '' ? '' : ` (${steps})`}`;
}

function warningsText({ warnings }: Moved): string {
  return warnings.map((warning) => `\n      warning: ${plainLine(warning)}`).join('');
}
