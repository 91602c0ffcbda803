import type { Json, JsonObject } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
import type { Change, Path } from './change.ts';
import type { OlderStep } from './older-steps.ts';
import { isLoop, nameOfStep, olderSteps } from './older-steps.ts';

/** Older loops may ask for a confirmation. Only steps do now: the first one of the body asks in the first round. */
export function* changesOfConfirmations(document: JsonObject): Generator<Change> {
  const steps = [...olderSteps(document['steps'])];
  for (const older of steps) {
    const { step, path } = older;
    const asked = step['requireConfirmation'];
    if (!isLoop(step) || asked === undefined) continue;
    const first = firstOfBody(older, steps);
    if (asked !== false && first !== undefined) yield* moved(asked, step, first);
    const where =
      asked === false || first === undefined ? '' : `, and ${nameOfStep(first)} asks in the first round`;
    yield {
      path: [...path, 'requireConfirmation'],
      edit: { kind: 'remove' },
      what: `'requireConfirmation' of ${nameOfStep(older)} goes${where}`,
    };
  }
}

function firstOfBody({ step, path }: OlderStep, steps: readonly OlderStep[]): OlderStep | undefined {
  const { body } = step;
  const isFirst: (other: OlderStep) => boolean =
    typeof body === 'string'
      ? (other) => other.step['id'] === body && isBeside(other.path, path)
      : (other) => other.path.join('/') === [...path, 'body', 0].join('/');
  return steps.find((other) => isFirst(other) && !isLoop(other.step));
}

function isBeside(a: Path, b: Path): boolean {
  return a.slice(0, -1).join('/') === b.slice(0, -1).join('/');
}

function* moved(asked: Json, loop: JsonObject, first: OlderStep): Generator<Change> {
  const own = first.step['requireConfirmation'];
  if (own === true) return;
  const { iterationVar } = isJsonObject(loop['loop']) ? loop['loop'] : {};
  const round: JsonObject = { var: iterationVar ?? 'currentIteration', equals: 1 };
  const inFirst: JsonObject = asked === true ? round : { and: [asked, round] };
  const value: JsonObject = own === undefined || own === false ? inFirst : { or: [own, inFirst] };
  const what = `${nameOfStep(first)} asks for the confirmation of its loop`;
  yield { path: [...first.path, 'requireConfirmation'], edit: { kind: 'set', value }, what };
}
