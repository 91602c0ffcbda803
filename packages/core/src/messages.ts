/**
 * The messages of sessions, in the order in which a session meets them: functions from data to text. Each says what is
 * wrong with the value found, and what is expected. A server adds the call that helps, under the name that it has for the
 * `remedy` of the error. Ids are shown in single quotes. The conformance kit fixes the words "fast", "human",
 * "manifest", "Missing" and "Unexpected" in some of them.
 */
export const messages = {
  // Tokens and calls

  tokenInvalid: () =>
    'The session token was not made by this server, or it was changed. Send the newest token exactly as you received it.',
  sessionGone: () => 'This server has no session for this token.',
  sessionOfOther: () => 'The session belongs to another user.',
  otherUsersToo: () => "This would also affect other users' sessions.",
  noSession: (sid: string) => `There is no session '${sid}'. List the sessions to see their ids.`,
  tokenStale: (seen: number, now: number) =>
    `The token is from revision ${seen}, and the session is at revision ${now}. Continue with the token of this reply.`,
  conflict: ({
    revision,
    activity,
    answered,
    open,
  }: {
    readonly revision: number;
    readonly activity: string | undefined;
    readonly answered: string | undefined;
    readonly open: string | undefined;
  }) =>
    joined(
      `Another call changed the session after this token was made. It is at revision ${revision}, ${activity === undefined ? 'before its first activity' : `in activity '${activity}'`}.`,
      answered === undefined ? '' : `Checkpoint '${answered}' has been answered.`,
      open === undefined ? '' : `Checkpoint '${open}' is open.`,
      'Nothing was changed. Read the status of the session with the token of this error, and continue with that token.',
    ),
  /** @param answered the answer that came first, if that is what changed the session */
  changedMeanwhile: (
    revision: number,
    answered?: { readonly by: string; readonly checkpoint: string; readonly option: string | undefined },
  ) =>
    joined(
      answered === undefined
        ? 'Somebody else changed the session in the meantime.'
        : answered.option === undefined
          ? `Checkpoint '${answered.checkpoint}' was already dismissed by ${answered.by}.`
          : `Checkpoint '${answered.checkpoint}' was already answered with '${answered.option}' by ${answered.by}.`,
      `The session is at revision ${revision}. Nothing was changed. Load it again before you try again.`,
    ),
  sessionCompleted: () =>
    'The session is completed, so it can only be read. Start a new session to continue the work.',
  noActivityYet: () => 'The session has not entered an activity yet.',
  stepNotCurrent: (step: string) => `The current activity of the session has no step '${step}'.`,

  // Moves

  activityNotFound: (why: string, possible: string) =>
    `${sentence(`Activity ${why}`)} Possible from here: ${possible}.`,
  possible: (possible: string) => `Possible from here: ${possible}.`,
  possibleWith: (possible: string, variables: readonly string[], mayEnd: boolean) =>
    `Possible from here: ${possible}. Set ${variables.join(', ')} with the move${mayEnd ? ', or name the end as the activity' : ''}.`,
  legal: (transitions: string) => `Legal from here: ${transitions}.`,
  continuesInstead: (activity: string | undefined, transitions: string) =>
    `The workflow does not end here: from ${activity === undefined ? 'the start' : `'${activity}'`} it continues with ${transitions}.`,
  transitionUndecided: (variables: readonly string[]) =>
    `No transition is open, and nobody set ${variables.join(', ')}, which could open one.`,
  notVisited: (activities: readonly string[]) =>
    `The workflow can't end yet: required activities were not visited: ${activities.join(', ')}. Enter them first.`,
  answerLeadsElsewhere: (transitions: string, activity: string) =>
    `The answer to a checkpoint leads to ${transitions}, not to '${activity}'.`,
  activitySkipped: (activity: string) =>
    `Activity '${activity}' is skipped in this session. Choose another one.`,
  roundsLeft: (loop: string, host: string, activity: string) =>
    `Loop '${loop}' of '${host}' has a round left in which a person may be asked. You can enter '${activity}' after the last round.`,
  conditionFalse: (activity: string, conditions: readonly string[]) =>
    sentence(`The condition of the transition to '${activity}' is false: ${conditions.join(' or ')}`),
  noTransition: (activity: string, from: string | undefined, possible: string) =>
    `No transition leads to '${activity}'. ${from === undefined ? 'The workflow starts' : `From '${from}' the workflow continues`} with: ${possible}.`,
  otherCondition: (activity: string, written: readonly string[], claimed: string) =>
    `The condition of the transition to '${activity}' is '${written.join("' or '")}', not '${claimed}'.`,
  unknownInActivityManifest: (activity: string) =>
    `The activity manifest names an unknown activity '${activity}'.`,
  emptyOutcome: (activity: string) =>
    `The outcome of '${activity}' in the activity manifest is empty. Say how the activity ended.`,

  // Checkpoints that stop a move

  notYielded: (checkpoint: string, activity: string) =>
    `Checkpoint '${checkpoint}' of '${activity}' needs an answer before you can leave the activity.`,
  personBeforeMove: (checkpoint: string, activity: string) =>
    `Checkpoint '${checkpoint}' of '${activity}' needs an answer from a person before you can leave the activity.`,
  sentBack: (checkpoint: string, activity: string) =>
    `The answer to checkpoint '${checkpoint}' of '${activity}' sent the work back. Do the work again first.`,
  bypass: (checkpoint: string, activity: string) =>
    `The move could bypass checkpoint '${checkpoint}' of '${activity}', which needs a person.`,
  bypassAtClosedEnd: (checkpoint: string, activity: string, closedAt: string) =>
    `No transition is left: '${closedAt}' was entered more often than its loop has rounds. The move could bypass checkpoint '${checkpoint}' of '${activity}', which needs a person. An advisory session can continue at '${activity}'; a strict one can only be ended, with workflowlookup sessions abandon.`,
  personChoseNext: (checkpoint: string, activity: string) =>
    `A person chose the next activity at checkpoint '${checkpoint}' of '${activity}'. Enter that activity, or ask the checkpoint again for a new answer.`,

  // Manifests

  noManifest: (activity: string, steps: string) =>
    `No manifest was submitted for activity '${activity}'. Submit the outputs of its required steps, in order: ${steps}.`,
  requiredSteps: (steps: string) => `Submit the outputs of the required steps, in order: ${steps}.`,
  missingSteps: (steps: string) => `Missing outputs of required steps: ${steps}.`,
  unexpectedSteps: (steps: string, activity: string) =>
    `Unexpected outputs: ${steps}. Activity '${activity}' has no such steps or iterations, so leave them out.`,
  stepTwice: (step: string) => `Step ${step} has more than one output. Submit one.`,
  wrongOrder: (step: string, after: string) =>
    `The outputs are in the wrong order: ${step} belongs before ${after}.`,
  emptyOutput: (step: string) => `The output of '${step}' is empty. Submit what the step produced.`,
  outputRefused: (step: string, issues: readonly string[]) =>
    sentence(`The output of '${step}' is not accepted: ${issues.join('; ')}`),

  // Yielding and answering checkpoints

  noCheckpointToYield: () => 'The session has not entered an activity yet, so no checkpoint can be asked.',
  checkpointNotFound: (activity: string, checkpoint: string, known: readonly string[]) =>
    `Activity '${activity}' has no checkpoint '${checkpoint}'. ${known.length === 0 ? 'It has no checkpoints' : `Its checkpoints: ${known.join(', ')}`}.`,
  checkpointOpen: (checkpoint: string) =>
    `Checkpoint '${checkpoint}' is waiting for an answer, and the session can't continue without one.`,
  noCheckpointOpen: (answered: string | undefined) =>
    answered === undefined
      ? 'No checkpoint is waiting for an answer.'
      : `No checkpoint is waiting for an answer. '${answered}' was already answered.`,
  nothingToPresent: () => 'No checkpoint is waiting for an answer, so there is nothing to present.',
  nothingToResume: () =>
    'No checkpoint of this activity was answered, so there is nothing to resume. Leave the activity instead.',
  needsPerson: (checkpoint: string) =>
    `Checkpoint '${checkpoint}' must be answered by a person, not by an agent.`,
  sameCredential: (checkpoint: string) =>
    `Checkpoint '${checkpoint}' must be answered by a person. This credential also worked on the session, so its answers count as the agent's.`,
  personAnswersWith: (how: string) => `A human can answer it with: ${how}.`,
  optionNotFound: (checkpoint: string, option: string, known: readonly string[]) =>
    `Checkpoint '${checkpoint}' has no option '${option}'. Its options: ${known.join(', ')}.`,
  answerTooSoon: (seconds: number) =>
    `The answer came too fast for a person to have read the question. Show the checkpoint to the user, and answer in ${seconds} s or later.`,
  conditionNotMet: (checkpoint: string) =>
    `The condition of checkpoint '${checkpoint}' is false with the session's variables, so an agent can't choose an option. Answer with condition_not_met: true.`,
  noCondition: (checkpoint: string, options: readonly string[]) =>
    `Checkpoint '${checkpoint}' has no condition that could be false. Answer with one of its options: ${options.join(', ')}.`,
  conditionMet: (checkpoint: string, options: readonly string[]) =>
    `The condition of checkpoint '${checkpoint}' is true with the session's variables. Answer with one of its options: ${options.join(', ')}.`,
  blocking: (checkpoint: string, options: readonly string[]) =>
    `Checkpoint '${checkpoint}' is blocking, so no timer answers it. Answer with one of its options: ${options.join(', ')}.`,
  noTimer: (checkpoint: string, options: readonly string[]) =>
    `Checkpoint '${checkpoint}' can't advance by itself, because it has no defaultOption with autoAdvanceMs. Answer with one of its options: ${options.join(', ')}.`,
  timerRunning: (checkpoint: string, ms: number) =>
    `The timer of checkpoint '${checkpoint}' has ${ms} ms left. Answer with one of its options, or call again after that time.`,

  // Variables

  notDeclared: (name: string) => `The workflow does not declare the variable '${name}'.`,
  wrongType: (name: string, expected: string, found: string) =>
    `The variable '${name}' must be of type ${expected}; found ${found}.`,
  moreProblems: (count: number) => `${count} more variables don't match their declarations.`,
  tooManyVariables: (found: number, most: number) =>
    `The call sets ${found} variables; at most ${most} are allowed.`,
  variableTooLong: (name: string, found: number, most: number) =>
    `Variable '${name}' has ${found} characters of JSON; at most ${most} are allowed.`,
  sessionTooLong: (found: number, most: number) =>
    `With this call the variables of the session have ${found} characters of JSON; at most ${most} are allowed.`,

  // Programs

  unknownOption: (name: string, known: readonly string[], meant: string | undefined) =>
    `There is no option '${name}'.${meant === undefined ? '' : ` Did you mean '${meant}'?`} The options are ${known.join(', ')}.`,
} as const;

/** Ends a text with a full stop, unless it ends with a punctuation mark already, as texts of authors may. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function joined(...sentences: readonly string[]): string {
  return sentences.filter((text) => text !== '').join(' ');
}
