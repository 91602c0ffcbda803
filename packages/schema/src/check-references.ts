import { didYouMean } from './did-you-mean.ts';
import type { Finding } from './issue.ts';
import type { StepWorkflowDefinition } from './step-workflow.ts';
import { maxDepth } from './limits.ts';
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
      yield { severity: 'error', code: 'duplicate-id', pointer: `${pointer}/id`, message, suggestion };
    }
  }
}

/** A loop that names its body, and where it does. */
interface NamedBody {
  readonly loop: string;
  readonly body: string;
  readonly pointer: string;
}

function* badBodies(walked: readonly WalkedStep[]): Generator<Finding> {
  const siblings = siblingsOf(walked);
  const named: NamedBody[] = [];
  for (const { step, pointer } of walked) {
    if (step.type !== 'loop' || typeof step.body !== 'string') continue;
    const body = { loop: step.id, body: step.body, pointer: `${pointer}/body` };
    const beside = siblings.get(listOf(pointer)) ?? new Set();
    if (beside.has(step.body)) named.push(body);
    else yield notBeside(body, beside);
  }
  yield* endless(named);
}

/** Ids of the steps of each list, by the list's pointer. */
function siblingsOf(walked: readonly WalkedStep[]): ReadonlyMap<string, ReadonlySet<string>> {
  const siblings = new Map<string, Set<string>>();
  for (const { step, pointer } of walked) {
    const ids = siblings.get(listOf(pointer)) ?? new Set();
    siblings.set(listOf(pointer), ids.add(step.id));
  }
  return siblings;
}

function listOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}

function notBeside({ loop, body, pointer }: NamedBody, beside: ReadonlySet<string>): Finding {
  const meant = didYouMean(
    body,
    [...beside].filter((id) => id !== loop),
  );
  return {
    severity: 'error',
    code: 'unknown-step',
    pointer,
    message: `Loop '${loop}' names the step '${body}' as its body, but there is no such step beside the loop`,
    suggestion:
      meant === undefined
        ? 'Name a step of the same list, or write the steps here'
        : `Did you mean '${meant}'?`,
  };
}

/** Loops whose named bodies lead back to them, or on through more loops than a definition may nest. */
function* endless(named: readonly NamedBody[]): Generator<Finding> {
  const bodies = new Map(named.map(({ loop, body }) => [loop, body]));
  const reported = new Set<string>();
  for (const { loop, pointer } of named) {
    const chain = chainFrom(loop, bodies);
    const goesBack = chain.at(-1) === loop;
    if ((!goesBack && chain.length <= maxDepth) || chain.some((id) => reported.has(id))) continue;
    for (const id of chain) reported.add(id);
    const message = goesBack
      ? `The body of loop '${loop}' leads back to the loop: '${[loop, ...chain].join("', '")}'`
      : `Loop '${loop}' nests more than ${maxDepth} loops by naming them as bodies`;
    const suggestion = 'Name a step that is not a loop, or write the steps here';
    yield { severity: 'error', code: 'unknown-step', pointer, message, suggestion };
  }
}

/** The ids a loop's named bodies lead through: up to one met before, a step that names none, or one level too many. */
function chainFrom(loop: string, bodies: ReadonlyMap<string, string>): readonly string[] {
  const chain = new Set<string>();
  for (let next = bodies.get(loop); next !== undefined && !chain.has(next); next = bodies.get(next)) {
    chain.add(next);
    if (next === loop || chain.size > maxDepth) break;
  }
  return [...chain];
}
