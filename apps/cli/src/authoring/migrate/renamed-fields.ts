import type { JsonObject } from '@workflowlookup/schema';
import type { Change } from './change.ts';
import { guidanceOf } from './functions.ts';
import type { OlderStep } from './older-steps.ts';
import { isLoop, nameOfStep, olderSteps } from './older-steps.ts';

/** Fields of steps that have another name now, or say what another one says. */
export function* changesOfFields(document: JsonObject): Generator<Change> {
  for (const older of olderSteps(document['steps'])) {
    const { step, path } = older;
    if (Object.hasOwn(step, 'hasValidation')) {
      const what = `'hasValidation' of ${nameOfStep(older)} goes: its criteria alone say what is checked`;
      yield { path: [...path, 'hasValidation'], edit: { kind: 'remove' }, what };
    }
    yield* renamed(older, 'name', 'title');
    if (!isLoop(step)) yield* renamed(older, 'description', 'prompt');
  }
}

/** A field under its new name; where that is taken, a description is guidance, and anything else a note. */
function* renamed(older: OlderStep, from: string, to: string): Generator<Change> {
  const { step, path } = older;
  const text = step[from];
  if (typeof text !== 'string') return;
  if (!Object.hasOwn(step, to)) {
    const what = `'${from}' of ${nameOfStep(older)} is '${to}' now`;
    yield { path: [...path, from], edit: { kind: 'rename', to }, what };
  } else if (from === 'description') {
    const value = [...guidanceOf(step), text];
    const what = `'${from}' of ${nameOfStep(older)} is part of its guidance now`;
    yield { path: [...path, 'guidance'], edit: { kind: 'set', value }, what };
    yield { path: [...path, from], edit: { kind: 'remove' }, what: `'${from}' of ${nameOfStep(older)} goes` };
  }
}
