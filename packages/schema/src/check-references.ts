import { didYouMean } from './did-you-mean.ts';
import type { Finding } from './issue.ts';
import type { StepWorkflowDefinition } from './step-workflow.ts';
import { walkSteps } from './walk-steps.ts';
import type { WalkedStep } from './walk-steps.ts';

/** Step ids that are there twice in a document, and loop bodies that name no step they could run. */
export function checkReferences({ steps }: StepWorkflowDefinition): readonly Finding[] {
  const walked = [...walkSteps(steps)];
  return [...duplicateIds(walked), ...badBodies(walked)];
}

function* duplicateIds(walked: readonly WalkedStep[]): Generator<Finding> {
  const places = new Map<string, string>();
  for (const { step, pointer } of walked) {
    const first = places.get(step.id);
    if (first === undefined) places.set(step.id, pointer);
    else {
      const message = `Duplicate step id '${step.id}': ${first} has it too`;
      const suggestion = 'Give every step its own id, also across loops and their bodies';
      yield { severity: 'error', pointer: `${pointer}/id`, message, suggestion };
    }
  }
}

/** Ids of the steps beside a step, by the pointer of the list that holds them. */
type Siblings = ReadonlyMap<string, ReadonlySet<string>>;

function* badBodies(walked: readonly WalkedStep[]): Generator<Finding> {
  const siblings = siblingsOf(walked);
  const bodies = new Map<string, string>();
  for (const { step, pointer } of walked) {
    if (step.type !== 'loop' || typeof step.body !== 'string') continue;
    const beside = siblings.get(listOf(pointer)) ?? new Set();
    bodies.set(step.id, step.body);
    const wrong = beside.has(step.body) ? circle(step.id, bodies) : notBeside(step.id, step.body, beside);
    if (wrong !== undefined) yield { severity: 'error', pointer: `${pointer}/body`, ...wrong };
  }
}

function siblingsOf(walked: readonly WalkedStep[]): Siblings {
  const siblings = new Map<string, Set<string>>();
  for (const { step, pointer } of walked) {
    const list = listOf(pointer);
    siblings.set(list, (siblings.get(list) ?? new Set()).add(step.id));
  }
  return siblings;
}

function listOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}

type Wrong = Pick<Finding, 'message' | 'suggestion'>;

function notBeside(loop: string, body: string, beside: ReadonlySet<string>): Wrong {
  const meant = didYouMean(
    body,
    [...beside].filter((id) => id !== loop),
  );
  return {
    message: `Loop '${loop}' names the step '${body}' as its body, but there is no such step beside the loop`,
    suggestion:
      meant === undefined
        ? 'Name a step of the same list, or write the steps here'
        : `Did you mean '${meant}'?`,
  };
}

/** Whether a loop, by the bodies known so far, ends up inside itself. */
function circle(loop: string, bodies: ReadonlyMap<string, string>): Wrong | undefined {
  const passed = new Set<string>();
  for (let next = bodies.get(loop); next !== undefined && !passed.has(next); next = bodies.get(next)) {
    passed.add(next);
  }
  if (!passed.has(loop)) return undefined;
  const way = [loop, ...passed].join("' \u2192 '");
  return {
    message: `The body of loop '${loop}' is the loop itself: '${way}'`,
    suggestion: 'Name a step that is not a loop around this one, or write the steps here',
  };
}
