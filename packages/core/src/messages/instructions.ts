import type {
  Action,
  ActivityLoop,
  ActivityStep,
  ActivityVariable,
  Mode,
  Trigger,
} from '@workflowlookup/schema';
import type { Checkpoint, CheckpointOption, Json } from '@workflowlookup/schema';

// The texts of instructions for agents. Around them stands what the author of the workflow wrote.

/** Headings of lists. */
export const headings = {
  workflowRules: 'Throughout this workflow:',
  preconditions: 'Before you start, these must hold:',
  clarifications: "Answer these from the task, the code or your user; if you can't, note what you assume:",
  guidance: 'Guidance:',

  neededVariables: 'Needed in the context:',
  modes: 'Modes, each active while its variable is true:',
  rules: 'Rules:',
  steps: 'Steps:',
  questions: 'Questions to ask the user; wait for the answer:',
  triggers: 'Besides the steps:',
  outcome: 'It is done when:',
  artifacts: 'It produces:',
  exitActions: 'When it is done:',
  keptVariables: 'Keep in the context:',
  decidingVariables:
    'The next activity depends on these variables. Put them into the context before you continue:',
} as const;

/** The instructions of a step. */
export const stepTexts = {
  role: (role: string) => `Role: ${role}`,
  loop: (id: string, iteration: number, total: number | undefined) =>
    `Loop '${id}': iteration ${iteration}${total === undefined ? '' : ` of ${total}`}.`,
  confirm: (byPerson: boolean) =>
    byPerson
      ? 'A person, not you, must confirm this step before you continue.'
      : 'Ask the user to confirm this step before you continue.',
  askForFiles: 'Ask the user for the files this step needs.',
  /** @param sets the field for each variable */
  putFields: (sets: Readonly<Record<string, string>>) =>
    `Put these fields of the output into the context: ${Object.entries(sets)
      .map(([name, field]) => (name === field ? `\`${name}\`` : `\`${name}\` (the field \`${field}\`)`))
      .join(', ')}.`,
  /** @param undecided steps that only an unset variable kept from running */
  end: (undecided: readonly { readonly stepId: string; readonly variables: readonly string[] }[]) =>
    undecided.length === 0
      ? 'Workflow complete.'
      : [
          'No step is left. These were skipped only because a variable was never set:',
          ...undecided.map(({ stepId, variables }) => `- ${stepId} (${variables.join(', ')})`),
          'If one of them should have run, ask again with its variable in the context.',
        ].join('\n'),
} as const;

/** Replaces a value that is missing or too long for a text. */
export const valueTexts = {
  unset: (name: string) => `[unset: ${name}]`,
  tooLong: (name: string) => `[too long: ${name}]`,
} as const;

/** The checkpoint at which the outcome of a step is confirmed. */
export const confirmationTexts = {
  name: (title: string) => `Confirm: ${title}`,
  question: (title: string) => `Confirm the outcome of '${title}', or have it revised.`,
  confirm: 'Confirm',
  revise: 'Revise',
  revised: 'The step stays current and is confirmed again.',
} as const;

/** The instructions of an activity of a workflow that an agent follows without a session. */
export const activityTexts = {
  again: 'This was done before and comes up again: once it is done, add its id to the completed ones again.',
  putFirst: (values: Values) => `Put this into the context first: ${assignments(values)}.`,
  operations: (ids: readonly string[]) => `Operations it uses: ${ids.join(', ')}.`,
  /** @param variable its declaration, if there is one */
  variable: (name: string, variable?: Omit<ActivityVariable, 'name'>) =>
    variable === undefined
      ? code([name])
      : withText(`${code([name])} (${variable.type})`, variable.description),
  mode: ({ name, activationVariable: variable, description = '', recognition = [] }: Omit<Mode, 'id'>) =>
    `${name}: ${code([variable])}. ${description}${recognition.length === 0 ? '' : ` The user may say: ${recognition.join(', ')}.`}`.trim(),

  /** @param when the condition with which it is done, in words; @param judgedAs the id for its output */
  step: (step: ActivityStep, when: string | undefined, judgedAs: string | undefined) => {
    const { id, name = id, description, required, skill } = step;
    const remarks = [
      ...(judgedAs === undefined ? [] : [`judged as ${judgedAs}`]),
      ...(required === false ? ['optional'] : []),
      ...(when === undefined ? [] : [`only when ${when}`]),
      ...(skill === undefined ? [] : [`skill: ${skill}`]),
    ];
    return withText(remarks.length === 0 ? name : `${name} (${remarks.join('; ')})`, description);
  },
  skillArguments: (json: string) => `The skill is given ${json}.`,
  outputSchema: (json: string) => `Its output is an object with this JSON Schema: ${json}`,
  ask: (checkpoint: string) => `Ask the question ${code([checkpoint])}.`,
  conditional: (condition: string, action: string) => `If ${condition}: ${action}`,
  action: ({ action, target, value, description, message: text = description }: Action) => {
    const [note, message] = [text && `Note: ${text}`, text && `Tell the user: ${text}`];
    const name = target && code([target]);
    const given = value === undefined || !target ? name : assignments({ [target]: value });
    const set =
      name && withText(`Put ${given} into the context`, value === undefined ? text : undefined, '.');
    const validate = `Check ${[name, text].filter((part) => part !== undefined).join(': ')}`;
    return { set, validate, message, log: note, emit: note }[action];
  },
  trigger: ({ workflow, passContext = [], description }: Trigger) => {
    const context = passContext.length === 0 ? '' : ` with ${code(passContext)} in its context`;
    return withText(`Follow the workflow '${workflow}'${context}`, description, '.');
  },

  /** @param condition with which it continues, and `stop` with which it ends, in words */
  loop: (
    { type, name, description, variable = 'item', over = '', maxIterations }: ActivityLoop,
    condition = 'its condition is true',
    stop?: string,
  ) => {
    const repetitions = {
      forEach: `for each ${code([variable])} in ${code([over])}`,
      while: `while ${condition}`,
      doWhile: `once, then again while ${condition}`,
    };
    const end = stop === undefined ? '' : `, ends once ${stop}`;
    const bound = maxIterations === undefined ? '' : `, at most ${maxIterations} times`;
    return `${name} (${repetitions[type]}${end}${bound}):${description === undefined ? '' : ` ${description}`}`;
  },

  /** @param when the condition with which it is asked, in words */
  question: (checkpoint: Checkpoint, when: string | undefined) => {
    const { id, name, message, defaultOption, autoAdvanceMs, blocking, approver } = checkpoint;
    const condition = when === undefined ? '' : ` (only when ${when})`;
    const human = approver === 'human' ? ' Only a person may answer; you may not.' : '';
    const isTimed = defaultOption !== undefined && autoAdvanceMs !== undefined && blocking !== true;
    const timer = isTimed ? ` Without an answer after ${autoAdvanceMs / 1000} s: ${defaultOption}.` : '';
    return `${code([id])} ${name}${condition}: ${message}${human}${timer}`;
  },
  option: ({ id, label, description, effect = {} }: CheckpointOption) => {
    const { setVariable = {}, transitionTo, skipActivities = [] } = effect;
    const effects = [
      ...(Object.keys(setVariable).length === 0 ? [] : [`put ${assignments(setVariable)} into the context`]),
      ...(transitionTo === undefined ? [] : [`'${transitionTo}' comes next`]),
      ...(skipActivities.length === 0 ? [] : [`skip from now on: ${skipActivities.join(', ')}`]),
    ];
    const head = `${id}: ${label}${description === undefined ? '' : ` (${description})`}`;
    return effects.length === 0 ? head : `${head} → ${effects.join('; ')}`;
  },
} as const;

type Values = Readonly<Record<string, Json>>;

/** Values of variables, as a caller puts them into its context. */
const assignments = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => `\`${name}\` = ${JSON.stringify(value)}`)
    .join(', ');

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const withText = (head: string, text: string | undefined, otherwise = ''): string =>
  text === undefined ? head + otherwise : `${head}: ${text}`;
