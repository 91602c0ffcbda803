import type { Json } from '@workflowlookup/schema';
import fc from 'fast-check';
import type { ModelMove } from './model.ts';
import { honestWork } from './work.ts';
import type { Model, World } from './world.ts';

/** The manifest of a move: the required steps (`faithful`), or an incomplete or wrong one. */
type Accounting = 'faithful' | 'everything' | 'none' | 'empty' | 'reversed' | 'strange';

/** A generated command. Its numbers and names are resolved when the command is given. */
export type Draw =
  | {
      readonly kind: 'move';
      /** The index of a place, modulo their number. `none` lets the session choose. */
      readonly target: 'none' | 'end' | 'unknown' | number;
      readonly accounting: Accounting;
      readonly variables: Readonly<Record<string, Json>>;
      /** The value of the field in each output. */
      readonly value?: number;
      /** The indices of the manifest entries that report their step as not done. */
      readonly notDone?: readonly number[];
    }
  /** `open` stands for the first checkpoint that must be answered before the session can leave the activity. */
  | { readonly kind: 'yield'; readonly checkpoint: string }
  | {
      readonly kind: 'answer';
      readonly mode: 'first' | 'second' | 'unknown' | 'auto-advance' | 'condition-not-met';
      readonly by: 'agent' | 'human';
      readonly afterMs: number;
    }
  | { readonly kind: 'abandon' };

const variables = fc.record(
  {
    a: fc.constantFrom(0, 1, 2),
    b: fc.constantFrom(0, 1, 2),
    d: fc.constantFrom(0, 1),
    m: fc.boolean(),
    items: fc.constantFrom([], ['x'], ['x', 'y', 'z']),
    item: fc.constantFrom('x', 'q'),
    missing: fc.constant(['x']),
    wrong: fc.constant(1),
  },
  { requiredKeys: [] },
);

const move: fc.Arbitrary<Draw> = fc.record({
  kind: fc.constant('move'),
  target: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    { weight: 3, arbitrary: fc.nat(8) },
    { weight: 1, arbitrary: fc.constantFrom('end' as const, 'unknown' as const) },
  ),
  accounting: fc.oneof(
    { weight: 6, arbitrary: fc.constant('faithful' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Accounting[]>('everything', 'none', 'empty', 'reversed', 'strange'),
    },
  ),
  variables: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: variables }),
});

const pause: fc.Arbitrary<Draw> = fc.record({
  kind: fc.constant('yield'),
  checkpoint: fc.oneof(
    { weight: 4, arbitrary: fc.constant('open' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('g0' as const, 'g1' as const, 'confirm' as const, 'unknown' as const),
    },
  ),
});

const answer: fc.Arbitrary<Draw> = fc.record({
  kind: fc.constant('answer'),
  mode: fc.constantFrom('first', 'second', 'unknown', 'auto-advance', 'condition-not-met'),
  by: fc.constantFrom('agent', 'human'),
  afterMs: fc.constantFrom(0, 3000, 4000),
});

/** Generates a command. */
export const draw: fc.Arbitrary<Draw> = fc.oneof(
  { weight: 40, arbitrary: move },
  { weight: 20, arbitrary: pause },
  { weight: 20, arbitrary: answer },
  { weight: 1, arbitrary: fc.constant({ kind: 'abandon' }) },
);

/** Resolves a generated move for a workflow and the state of its session. */
export function moveOf(drawn: Extract<Draw, { kind: 'move' }>, world: World, model: Model): ModelMove {
  const { target, accounting, variables: values } = drawn;
  const { due } = honestWork(world, model, values);
  const everything = model.current === undefined ? [] : world.steps(model.current).map(({ id }) => id);
  const manifests = {
    everything,
    none: undefined,
    empty: [],
    strange: ['nowhere'],
    faithful: due,
    reversed: due.toReversed(),
  };
  const place = typeof target === 'number' ? world.places[target % world.places.length] : target;
  const manifest = manifests[accounting];
  const { notDone = [], value } = drawn;
  return {
    target: place === 'none' ? undefined : place,
    manifest,
    variables: values,
    ...(value === undefined ? {} : { value }),
    ...(notDone.length === 0 ? {} : { notDone: (manifest ?? []).filter((_, at) => notDone.includes(at)) }),
  };
}
