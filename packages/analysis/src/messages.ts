import { showValue } from '@workflowlookup/conditions';
import type { CandidateTransition } from '@workflowlookup/core/decisions';
import type { Branch } from './exploration/state-graph.ts';

// Every message of this package that a person or an agent reads, by topic. `test/messages.test.ts` has a snapshot of all
// of them.

interface Message {
  readonly message: string;
  readonly suggestion: string;
}

/** The names of the parts of a workflow, as other messages use them. */
export const labels = {
  start: 'the start',
  part: (kind: 'activity' | 'loop' | 'step', id: string): string => `${kind} '${id}'`,
  stepOf: (step: string, activity: string): string => `step '${step}' of '${activity}'`,
  answer: (option: string, checkpoint: string): string => `${option} at '${checkpoint}'`,
};

function elsewhere(places: number): string {
  if (places === 0) return '';
  return `; the same condition is in ${places} more ${places === 1 ? 'place' : 'places'}`;
}

/** Problems that exploration finds. A `label` names a part of the workflow. */
export const findings = {
  /** @param others how many more places have the same condition */
  neverHolds: ({ text, names, decides }: Branch, label: string, others: number): Message => {
    const so = {
      site: `, so ${label} is never reached`,
      loop: ', so the loop never runs',
      end: ', so it never ends the loop',
      other: '',
    };
    const variables = names.length === 0 ? 'its variables' : names.map((name) => `'${name}'`).join(', ');
    return {
      message: `'${text}' is never true when the server checks it${so[decides]}${elsewhere(others)}`,
      suggestion: `Let an earlier step or answer set ${variables} to a value that makes the condition true, or change the condition`,
    };
  },
  alwaysHolds: ({ text }: Branch, label: string, others: number): Message => ({
    message: `'${text}' is always true when the server checks it, so ${label} is never skipped${elsewhere(others)}`,
    suggestion: 'Correct the condition, or remove it',
  }),
  unreachable: (label: string): Message => ({
    message: `No session reaches ${label}`,
    suggestion: 'Change the workflow so that a session can reach it, or remove it',
  }),
  endlessLoop: (id: string): Message => ({
    message: `Only its maxIterations ends loop '${id}': nothing in it changes what its condition reads`,
    suggestion: 'Let a step in the loop set a variable of its condition',
  }),
  stuck: (label: string, reason: string): Message => ({
    message: `A session can't continue from ${label}: ${reason}`,
    suggestion: 'Add a transition from it, or let an earlier step set the variable that is missing',
  }),
  endless: (label: string, cycle: readonly string[]): Message => ({
    message: `A session that reaches ${label} never ends, because it repeats ${cycle.join(', ')}`,
    suggestion: 'Add a transition that leaves the cycle',
  }),
  impassable: (checkpoint: string, label: string): Message => ({
    message: `Nobody gets past checkpoint '${checkpoint}' of ${label}: every answer leads back to it`,
    suggestion: 'Change one of its answers so that it leads somewhere else',
  }),
  missingTransition: (
    activity: string,
    values: Iterable<readonly [name: string, value: unknown]>,
  ): Message => {
    const shown = [...values].map(([name, value]) => `${name} ${nothing(value) ?? `= ${showValue(value)}`}`);
    return {
      message: `Activity '${activity}' has no transition that applies with ${shown.join(', ')}, so the session ends there`,
      suggestion: "Add a default transition, to 'end' if the session should end there",
    };
  },
  unsetVariable: (name: string, label: string): Message => ({
    message: `'${name}' is never set when the text of ${label} shows it`,
    suggestion: `Let an earlier step set '${name}', give it a default, or declare it with required: true`,
  }),
};

function nothing(value: unknown): string | undefined {
  return value === undefined || value === null ? 'not set' : undefined;
}

/** Why an exploration or a walk stopped. */
export const stops = {
  tooManyStates: (most: number): string =>
    `The workflow has more than the ${most} states that are looked at.`,
  noFittingText: (name: string): string =>
    `No text was found that fits the pattern '${name}' is compared with.`,
  noCall: 'No call is legal.',
  tooManyTurns: (turns: number): string => `It did not end after ${turns} turns.`,
  tooManyAnswers: (answers: number, activity: string): string =>
    `After ${answers} answers, the session is still at '${activity}'.`,
  unsetVariables: (names: Iterable<string>): string =>
    `More steps could follow if these variables were set: ${[...names].join(', ')}.`,
  tooManySteps: (steps: number): string => `It takes more than ${steps} steps.`,
  unanswered: (checkpoint: string, activity: string): string =>
    `Checkpoint '${checkpoint}' of '${activity}' waits, and the test has no answer to it.`,
  outputRefused: (step: string, issues: readonly string[]): string =>
    `The output of '${step}' is refused, and the test has no other: ${issues.join('; ')}.`,
  noOutput: (step: string, has: 'criteria' | 'fields'): string =>
    `The test has no output for '${step}', which has ${has}.`,
};

/** Why a dry run chose or skipped a step or an activity. */
export const reasons = {
  conditionFalse: (condition: string): string => `Its condition is false: ${condition}.`,
  nextStep: (
    condition: string | undefined,
    loop: { readonly id: string; readonly iteration: number } | undefined,
  ): string => {
    const holds = condition === undefined ? '' : `, and its condition is true: ${condition}`;
    const iteration = loop === undefined ? '' : ` Loop '${loop.id}' is in iteration ${loop.iteration}.`;
    return `It is the next step that is not done${holds}.${iteration}`;
  },
  answerLeadsHere: 'The answer to a checkpoint leads here, so no other transition counts.',
  transition: (
    { when, by, limit }: Pick<CandidateTransition, 'when' | 'by' | 'limit'>,
    verdict: 'chosen' | 'skipped' | 'not-reached',
  ): string => {
    const verdicts = {
      chosen: 'taken',
      skipped: 'not true',
      'not-reached': 'another transition comes first',
    };
    const source = by === undefined ? when : `${by}, ${when}`;
    const reason =
      limit === undefined
        ? verdicts[verdict]
        : `the loop is at its limit of ${limit} iterations (maxIterations)`;
    return `${source.charAt(0).toUpperCase()}${source.slice(1)}: ${reason}.`;
  },
};

/** How the result of a test differs from what the test expects. */
export const failures = {
  notCompleted: (stop = ''): string => `The workflow was not completed. ${stop}`.trim(),
  completed: 'The workflow was completed, and was expected not to be.',
  /** An id is `undefined` where a path has ended. */
  otherPath: (position: number, expected: string | undefined, found: string | undefined): string => {
    const [wanted, came] = [expected, found].map((id) => (id === undefined ? 'the end' : `'${id}'`));
    return `Position ${position} of the path: expected ${wanted}, found ${came}.`;
  },
  notReached: (id: string): string => `'${id}' was not reached.`,
  reached: (id: string): string => `'${id}' was reached, and was expected not to be.`,
  /** @param instead the step whose output was refused */
  notRefused: (step: string, instead: string | undefined): string =>
    `The output of '${step}' was expected to be refused${instead === undefined ? '' : `, not that of '${instead}'`}.`,
  otherRefusal: (step: string, issues: readonly string[], expected: string): string =>
    `The output of '${step}' was refused because of '${issues.join('; ')}', expected '${expected}'.`,
  refused: (step: string, issues: readonly string[]): string =>
    `The output of '${step}' was refused: ${issues.join('; ')}.`,
  otherValue: (name: string, found: unknown, expected: unknown): string => {
    const [value, wanted] = [found, expected].map((one) => nothing(one) ?? JSON.stringify(one));
    return `Variable '${name}' is ${value} at the end, expected ${wanted}.`;
  },
  noWarning: (part: string): string => `No warning says '${part}'.`,
  unexpectedWarning: (warning: string): string => `A warning was not expected: ${warning}`,
  /** @param meant a similar name */
  unknownName: (id: string, field: string, noun: string, meant: string | undefined): string =>
    `The test names '${id}' under '${field}', and the workflow has no such ${noun}.${meant === undefined ? '' : ` Did you mean '${meant}'?`}`,
};
