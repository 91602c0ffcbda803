import type { LoopStep, PromptStep, Step } from '@workflowlookup/schema';
import { peopleAmong } from './people.ts';
import type { Vars, World } from './world.ts';
import { says } from './world.ts';

/** Returns the answers of a step workflow to the questions of the reference model. */
export function sequenceWorld(steps: readonly Step[]): World {
  const prompts = new Map(listed(steps, ''));
  return {
    places: [...prompts.keys()],
    start: {},
    types: new Map(),
    startsAnywhere: false,
    required: [],
    quick: undefined,
    steps: (place) => [
      {
        id: place,
        tests: [],
        optional: false,
        checkpoint: asks(prompts.get(place)) ? 'confirm' : undefined,
        actions: [],
        fills: Object.keys(prompts.get(place)?.sets ?? {})[0],
        mayBeMissing: prompts.get(place)?.may_be_missing === true,
      },
    ],
    gates: (place) => {
      const step = prompts.get(place);
      if (!asks(step)) return [];
      const { requireConfirmation: condition } = step ?? {};
      return [
        {
          id: 'confirm',
          condition: typeof condition === 'boolean' ? undefined : condition,
          approver: step?.approver,
          blocking: false,
          timerMs: undefined,
          preset: step?.reversible === true ? 'confirm' : undefined,
          sendsBack: 'revise',
          isReversible: step?.reversible === true,
          options: [{ id: 'confirm' }, { id: 'revise' }],
        },
      ];
    },
    lacksItem: (place, vars) => listsAround(steps, '', place).some((name) => !Array.isArray(vars[name])),
    repeats: () => false,
    scope: (place) => {
      const iteration = /@(\d+)::[^@]*$/.exec(place)?.[1];
      return iteration === undefined ? {} : { currentIteration: Number(iteration) + 1 };
    },
    actions: () => [],
    openTransitions: ({ completed, current }, vars) => {
      const done = current === undefined ? completed : [...completed, current];
      const next = following(steps, { prefix: '', vars, done });
      return next === 'stuck' ? next : { open: next === undefined ? [] : [next], unsure: false };
    },
    iterations: () => ({ iterations: new Map(), sets: {} }),
    kept: ({ completed, current, vars }) => {
      const done = current === undefined ? completed : [...completed, current];
      return { items: [], lists: listsInUse(steps, { prefix: '', vars, done }, current) };
    },
    ...peopleAmong(steps),
    outOfIterations: () => undefined,
    past: () => undefined,
    stays: () => new Map(),
  };
}

function asks(step: PromptStep | undefined): boolean {
  return step?.requireConfirmation !== undefined && step.requireConfirmation !== false;
}

function listsAround(steps: readonly Step[], prefix: string, place: string): readonly string[] {
  return steps.flatMap((step): readonly string[] => {
    const id = prefix + step.id;
    if (step.type !== 'loop' || !place.startsWith(`${id}@`)) return [];
    const inner = place.slice(0, place.indexOf('::', id.length) + 2);
    return [
      ...(step.loop.items === undefined ? [] : [step.loop.items]),
      ...listsAround(step.body as readonly Step[], inner, place),
    ];
  });
}

function listed(steps: readonly Step[], prefix: string): [string, PromptStep][] {
  return steps.flatMap((step): [string, PromptStep][] => {
    if (step.type !== 'loop') return [[prefix + step.id, step]];
    const iterations = Array.from(
      { length: step.loop.maxIterations },
      (_, iteration) => `${prefix}${step.id}@${iteration}::`,
    );
    return iterations.flatMap((iteration) => listed(step.body as readonly Step[], iteration));
  });
}

/** Returns the lists of the loops that have begun and still have a step to do, or that contain the current step. */
function listsInUse(steps: readonly Step[], at: Position, current: string | undefined): readonly string[] {
  return steps.flatMap((step): readonly string[] => {
    if (step.type !== 'loop') return [];
    const { loop, body } = step;
    const id = at.prefix + step.id;
    const latest = Math.max(-1, ...iterationsBegunAt(id, at));
    if (latest < 0) return [];
    const isAround = current?.startsWith(`${id}@`) === true;
    const isInUse = isAround || (says(step.runCondition, at.vars) && inLoop(step, id, at) !== undefined);
    const vars = { ...at.vars, currentIteration: latest + 1 };
    const inner = { ...at, prefix: `${id}@${latest}::`, vars };
    return [
      ...(isInUse && loop.items !== undefined && Array.isArray(at.vars[loop.items]) ? [loop.items] : []),
      ...listsInUse(body as readonly Step[], inner, current),
    ];
  });
}

function iterationsBegunAt(id: string, { done }: Position): readonly number[] {
  return done
    .filter((one) => one.startsWith(`${id}@`))
    .map((one) => Number.parseInt(one.slice(id.length + 1), 10));
}

interface Position {
  readonly prefix: string;
  readonly vars: Vars;
  readonly done: readonly string[];
}

/** Returns the first step that is not done and whose conditions are true, or `stuck` if a list is missing. */
function following(steps: readonly Step[], at: Position): string | undefined {
  for (const step of steps) {
    const id = at.prefix + step.id;
    if (at.done.includes(id) || !says(step.runCondition, at.vars)) continue;
    const found = step.type === 'loop' ? inLoop(step, id, at) : id;
    if (found !== undefined) return found;
  }
  return undefined;
}

function inLoop({ loop, body }: LoopStep, id: string, at: Position): string | undefined {
  const items = loop.items === undefined ? undefined : at.vars[loop.items];
  if (loop.type === 'forEach' && !Array.isArray(items)) return 'stuck';
  const wanted = loop.type === 'for' ? Number(loop.count) : Array.isArray(items) ? items.length : Infinity;
  const end = Math.min(wanted, loop.maxIterations);
  const latest = Math.min(Math.max(-1, ...iterationsBegunAt(id, at)), end - 1);
  for (let iteration = Math.max(latest, 0); iteration < end; iteration += 1) {
    const vars = { ...at.vars, currentIteration: iteration + 1 };
    const mayBegin = loop.condition === undefined || says(loop.condition, vars) === (loop.type === 'while');
    if (iteration > latest && !mayBegin) return undefined;
    const found = following(body as readonly Step[], { ...at, prefix: `${id}@${iteration}::`, vars });
    if (found !== undefined) return found;
  }
  return undefined;
}
