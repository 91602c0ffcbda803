import type { ActivityWorkflow, Json } from '@workflowlookup/schema';
import type { Conduct } from './obedient-agent.ts';

/** After this many visits of an activity, the agent sets its flags to random values, so that no loop runs forever. */
const patience = 2;

/** After this many answers to a checkpoint, the agent chooses its first option, because this one usually continues. */
const curiosity = 3;

/** The probabilities that a flag is guessed to be true, which take turns with each visit. */
const moods = [0.1, 0.5, 0.9];

/** Returns the conduct of an agent that knows nothing about a workflow. It chooses options in turn, and guesses values. */
export function wanderer(
  { definition: { variables = [] } }: Pick<ActivityWorkflow, 'definition'>,
  seed: number,
): Conduct {
  const draw = createDraw(seed);
  const types = new Map(variables.map(({ name, type }) => [name, type]));
  const flags = variables.filter(({ type }) => type === 'boolean').map(({ name }) => name);
  const guess = (names: readonly string[], likely = 0.5): Record<string, Json> =>
    Object.fromEntries(names.map((name) => [name, valueOf(types.get(name), () => draw() * (0.5 / likely))]));
  return {
    output: (step) => `Did ${step} as described; nothing was left open.`,
    choose: ({ options, time }) => options[time < curiosity ? (time + seed) % options.length : 0] ?? '',
    learn: (_, visit) => (visit < patience ? {} : guess(flags, moods[visit % moods.length])),
    settle: (names) => guess(names),
    clear(obstacle) {
      const path = / runs over '([\w.-]+)'/.exec(obstacle)?.[1]?.split('.');
      return path === undefined ? guess(flags) : (listAt(path) as Record<string, Json>);
    },
  };
}

/** Returns nested objects for a path of names, with an empty list as the innermost value. */
function listAt(path: readonly string[]): Json {
  const [name, ...rest] = path;
  return name === undefined ? [] : { [name]: listAt(rest) };
}

function valueOf(type: string | undefined, draw: () => number): Json {
  switch (type) {
    case 'string':
      return 'something';
    case 'number':
      return Math.floor(draw() * 3) % 3;
    case 'array':
      return ['something'];
    case 'object':
      return {};
    default:
      return draw() < 0.5;
  }
}

/** Returns a generator of pseudo-random numbers from 0 to 1. */
function createDraw(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return ((state * 48_271) % 2_147_483_647) / 2_147_483_647;
  };
}
