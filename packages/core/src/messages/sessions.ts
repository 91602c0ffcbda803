import { idInCommand } from '@workflowlookup/schema';
import type { MissingList } from '../session/outputs/loop-iterations.ts';

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
  idInsteadOfToken: (sid: string) =>
    `'${sid}' is the id of a session, and this call needs a session token. To get one, call start_session {"agent_id": "<your name>", "session_token": "${sid}", "include_activity": true}.`,
  tokenOfNobody: () =>
    'The token names no agent, because the session could not be verified when the token was made.',
  sessionGone: () => 'This server has no session for this token.',
  sessionOfOther: () => 'The session belongs to another user.',
  otherUsersToo: () => "This would also affect other users' sessions.",
  noSession: (sid: string) => `There is no session '${sid}'. List the sessions to see their ids.`,
  tokenStale: (seen: number, now: number) =>
    `The token is from revision ${seen}, and the session is at revision ${now}. Continue with the token of this reply.`,
  sessionFull: (sid: string, of: 'events' | 'calls', limit: number, command?: string) =>
    `Session '${sid}' has ${limit} ${of}, the most that a session may have. Ask the user to end it with "${command ?? `workflowlookup sessions abandon ${idInCommand(sid)}`}", then start a new session for the rest of the work.`,
  conflict: (revision: number, at: Readonly<Record<'activity' | 'answered' | 'open', string | undefined>>) =>
    joined(
      `Another call changed the session after this token was made. It is at revision ${revision}, ${at.activity === undefined ? 'before its first activity' : `in activity '${at.activity}'`}.`,
      at.answered === undefined ? '' : `Checkpoint '${at.answered}' has been answered.`,
      at.open === undefined ? '' : `Checkpoint '${at.open}' is open.`,
      'Nothing was changed. Continue with the token of this error.',
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

  // Starting and resuming

  reservedName: (agent: string) =>
    `agent_id '${agent}' is refused: names that begin with 'human:' are those of people. Only letters, digits and '-' can follow 'human', and before a colon only ASCII characters are allowed, because other characters can look like those. Call start_session with another agent_id, for example 'worker-1'.`,
  /** @param character such as `U+200B` */
  hiddenInName: (character: string) =>
    `agent_id contains ${character}, a character that nobody can see or that breaks the line. Call start_session with an agent_id without it.`,
  /** @param more how many more of its activities are broken */
  notStartable: (workflow: string, problem: string, more: number) =>
    joined(
      `Workflow '${workflow}' can't be started. ${problem.replace(/\.?$/, '.')}`,
      more === 0 ? '' : `${more} more of its activities are broken.`,
      'Ask the user to correct it, then call start_session again.',
    ),
  startedInstead: (workflow: string) =>
    `The token matches no session of this server. A new session of '${workflow}' was started: it has nothing of the earlier one.`,
  runsOther: (running: string, asked: string) =>
    `The session runs '${running}'; to start one of '${asked}', leave session_token out.`,
  resumedUnsigned: () =>
    'This server did not sign the token. The session that it names continues from its stored state; nothing was read from the token.',
  resumedById: () => 'The session was resumed by its id.',
  parentRefused: (why: string) => `No child was started: for parent_session_token: ${why}`,
  parentCompleted: (sid: string, outcome: 'abandoned' | 'completed') =>
    `No child was started, because the parent session '${sid}' is ${outcome}. Start a session without a parent.`,
  noActivityYet: () => 'The session has not entered an activity yet.',
  stepNotCurrent: (step: string) => `The current activity of the session has no step '${step}'.`,

  // Moves

  activityNotFound: (why: string, possible: string) =>
    `${sentence(`Activity ${why}`)} Possible from here: ${possible}.`,
  possible: (possible: string) => `Possible from here: ${possible}.`,
  possibleWith: (possible: string, variables: readonly string[], mayEnd: boolean) =>
    `Possible from here: ${possible}. Set ${variables.join(', ')} with the move${mayEnd ? ', or name the end as the activity' : ''}.`,
  legal: (transitions: string) => `Legal from here: ${transitions}.`,
  legalWithEvidence: (transitions: string) => `Legal once the evidence passes: ${transitions}.`,
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
  iterationsLeft: (loop: string, host: string, activity: string) =>
    `Loop '${loop}' of '${host}' has an iteration left in which a person may be asked. You can enter '${activity}' after the last iteration.`,
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
    `No transition is left: the loop of '${closedAt}' can't continue after it. The move could bypass checkpoint '${checkpoint}' of '${activity}', which needs a person. The session can only be ended: ask the user to abandon it.`,
  personChoseNext: (checkpoint: string, activity: string) =>
    `A person chose the next activity at checkpoint '${checkpoint}' of '${activity}'. Enter that activity, or ask the checkpoint again for a new answer.`,

  // Manifests

  noManifest: (activity: string, steps: readonly string[]) =>
    `No manifest was submitted for activity '${activity}'. Submit the outputs of its required steps, in order: ${listed(steps)}.`,
  requiredSteps: (steps: readonly string[]) =>
    `Submit the outputs of the required steps, in order: ${listed(steps)}.`,
  missingSteps: (steps: readonly string[]) => `Missing outputs of required steps: ${listed(steps)}.`,
  unexpectedSteps: (steps: readonly string[], activity: string) =>
    `Unexpected outputs: ${listed(steps)}. Activity '${activity}' has no such steps or iterations, so leave them out.`,
  stepTwice: (step: string) => `Step ${step} has more than one output. Submit one.`,
  wrongOrder: (step: string, after: string) =>
    `The outputs are in the wrong order: ${step} belongs before ${after}.`,
  emptyOutput: (step: string) => `The output of '${step}' is empty. Submit what the step produced.`,
  notDoneWithoutReason: (step: string) =>
    `Step '${step}' is reported as not done, and not_done gives no reason. Say why it was not done, or what can't be proved.`,
  notDoneNotRequired: (step: string, activity: string) =>
    `Step '${step}' of activity '${activity}' is not required now, so it needs no not_done. Leave it out of the manifest.`,
  notDoneReason: (step: string, length: number, most: number) =>
    `The reason in not_done of step '${step}' has ${length} characters, or some that nobody can see. Give at most ${most} visible characters. People read the reasons of all such steps before they decide.`,
  notDoneRefused: (step: string, activity: string, allowed: readonly string[]) =>
    `Step '${step}' of activity '${activity}' can't be reported as not done, because the workflow doesn't say may_be_missing for it. ${allowed.length === 0 ? 'No step of this activity may be missing' : `Only these may: ${allowed.join(', ')}`}. Do the step and submit its output. If you can't, tell your user, and park the session with the reason.`,
  /** Completes {@link outputRefused}. */
  criteriaUnusable: (problem: string) => `its criteria can't be used (${problem})`,
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
  answeredInManifest: () => 'The answered steps are done. Name them in the manifest too.',
  notParked: () => 'The session is not parked. Nothing was changed.',
  noteTooLong: (length: number, limit: number) =>
    `The note has ${length} characters, and ${limit} are allowed. Send a shorter one.`,
  parkReason: (length: number, limit: number) =>
    length > limit
      ? `The reason has ${length} characters, and ${limit} are allowed. Send a shorter one.`
      : 'The reason must be a text without hidden characters. Say in a sentence why the work stops, and what it waits for.',
  parkUntil: (value: string) =>
    `until is '${value}'. It must be a time in the future in ISO 8601 with a time zone, such as 2030-01-31T09:00:00Z.`,
  nothingToResume: () =>
    'No checkpoint of this activity was answered, so there is nothing to resume. Leave the activity instead.',
  needsPerson: (checkpoint: string) =>
    `Checkpoint '${checkpoint}' must be answered by a person, not by an agent.`,
  sameCredential: (checkpoint: string) =>
    `Checkpoint '${checkpoint}' must be answered by a person. This credential also worked on the session, so its answers count as the agent's.`,
  /** The command has a line of its own, so that it can be copied. */
  personAnswersWith: (how: string) => `A human can answer it with:\n  ${how}\n`,
  optionNotFound: (checkpoint: string, option: string, known: readonly string[]) =>
    `Checkpoint '${checkpoint}' has no option '${option}'. Its options: ${known.join(', ')}.`,
  noteRequired: (checkpoint: string, option: string) =>
    `Option '${option}' of checkpoint '${checkpoint}' requires a note. Answer with option '${option}' and a note that says why, or what to change.`,
  answerTooSoon: (seconds: number) =>
    `The answer came too fast for a person to have read the question. Show the checkpoint to the user, and answer in ${seconds} s or later.`,
  conditionNotMet: (checkpoint: string) =>
    `The condition of checkpoint '${checkpoint}' is false with the session's variables, so an agent can't choose an option. Answer with condition_not_met: true.`,
  noCondition: (checkpoint: string, options: readonly string[]) =>
    `Checkpoint '${checkpoint}' has no condition that could be false. Answer with one of its options: ${options.join(', ')}.`,
  conditionMet: (checkpoint: string, options: readonly string[]) =>
    `The condition of checkpoint '${checkpoint}' is true with the session's variables, or will be after the required steps. Answer with one of its options: ${options.join(', ')}.`,
  blocking: (checkpoint: string, options: readonly string[]) =>
    `Checkpoint '${checkpoint}' is blocking, so no timer answers it. Answer with one of its options: ${options.join(', ')}.`,
  noTimer: (checkpoint: string, options: readonly string[]) =>
    `Checkpoint '${checkpoint}' can't advance by itself, because it has no defaultOption with autoAdvanceMs. Answer with one of its options: ${options.join(', ')}.`,
  notReversible: (checkpoint: string, options: readonly string[]) =>
    `Checkpoint '${checkpoint}' has to be asked: it is not reversible, has no defaultOption, or the session asks every checkpoint. Answer with one of its options: ${options.join(', ')}.`,
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
  outputsTooLong: (found: number, most: number) =>
    `The outputs of this call have ${found} characters; at most ${most} are allowed. Write long texts to a file, and name the file in the output.`,
  putTextsElsewhere: () =>
    'Put long texts into the output of a step or into a file, and keep its name in the variable.',

  // Programs

  /** Completes {@link personAnswersWith}. */
  answerInProgram: (sid: string) => `session.answer(option, { person }) of session ${sid}`,
  unknownOption: (name: string, known: readonly string[], meant: string | undefined) =>
    `There is no option '${name}'.${meant === undefined ? '' : ` Did you mean '${meant}'?`} The options are ${known.join(', ')}.`,
  missingMembers: (option: string, missing: readonly string[]) =>
    `The option '${option}' is not a complete store. It lacks ${missing.length === 1 ? 'the method' : 'the methods'} ${missing.join(', ')}. Add what is missing, and test the store with @workflowlookup/storage/testing.`,
} as const;

/** Where a checkpoint is: in an activity of this session, or in the parent session. */
const placeOf = (activity: string, parent: string | undefined): string =>
  parent === undefined ? `in '${activity}'` : `of the parent session ${parent}`;

const loopName = (loop: string, activity: string | undefined): string =>
  activity === undefined ? `'${loop}'` : `'${loop}' of '${activity}'`;

/** Why a call can't write a variable. One of {@link remedies} follows. */
export const protectedVariables = {
  pathName: (name: string, root: string) =>
    `The name of variable '${name}' reads like a path into '${root}', and the workflow doesn't declare it. Leave it out, or give '${root}' as an object with this field.`,

  answerSet: (name: string, checkpoint: string, activity: string, parent: string | undefined) =>
    `The answer to checkpoint '${checkpoint}' ${placeOf(activity, parent)} set variable '${name}', so an agent can't change it.`,
  otherOption: (name: string, checkpoint: string, activity: string, parent: string | undefined) =>
    `Variable '${name}' is set by an option of checkpoint '${checkpoint}' ${placeOf(activity, parent)}, and another option was chosen, so an agent can't change it.`,
  shown: (name: string, checkpoint: string, activity: string) =>
    `Checkpoint '${checkpoint}' in '${activity}' showed variable '${name}' when it was answered, so an agent can't change it yet.`,
  reserved: (name: string, setBy: readonly string[]) =>
    `The workflow says that variable '${name}' is set by ${setBy.join(', ')}, so an agent can't set it here.`,

  loopList: (name: string, loop: string, activity: string | undefined) =>
    `Loop ${loopName(loop, activity)} runs over '${name}', so an agent can't take items out of it or replace them until the loop is left.`,
  loopCount: (name: string, loop: string, activity: string | undefined) =>
    `Loop ${loopName(loop, activity)} runs as often as '${name}' says, so an agent can't lower it until the loop is left.`,
  loopItem: (name: string, loop: string, activity: string | undefined) =>
    `Variable '${name}' holds the item of loop ${loopName(loop, activity)}, so an agent can't change it until the loop is left.`,

  // While a checkpoint is asked again

  conditionFalseAgain: (name: string, checkpoint: string) =>
    `Checkpoint '${checkpoint}' showed variable '${name}' when it was answered, and with these values its condition is false, so nobody is asked about the new value. Leave it out of this call, or give values with which the condition is true.`,
  otherIteration: (name: string, checkpoint: string) =>
    `Checkpoint '${checkpoint}' showed variable '${name}' when it was answered for another iteration of the loop, and that answer still counts. Leave it out of this call.`,
  listOfActivity: (list: string, activity: string) =>
    `A loop of '${activity}' runs over '${list}', so an agent can't take items out of it or replace them here. Leave it out of this call, or add to the end of it.`,
} as const;

/** What an agent can do about a protected variable. */
export const remedies = {
  leaveOut: () => 'Leave it out of this call.',
  addToEnd: () => 'Leave it out of this call, or add to the end of it.',
  giveMore: () => 'Leave it out of this call, or give a higher number.',
  askInParent: () => 'Leave it out of this call, and ask the checkpoint again in that session.',
  askAgain: (checkpoint: string, activity: string | undefined, withValue: boolean) =>
    joined(
      'Leave it out of this call.',
      `To have another value approved, ${activity === undefined ? `yield checkpoint '${checkpoint}' again` : `enter '${activity}' and ask checkpoint '${checkpoint}' again`}${withValue ? " with the new value in 'variables'" : ''}: the new answer counts from then on.`,
    ),
  /** @param mayBeSetLater whether an agent can set the variable once the session is elsewhere */
  notReached: (activity: string, mayBeSetLater: boolean) =>
    joined(
      `Leave it out of this call. The session can't return to '${activity}', so the checkpoint can't be asked again.`,
      mayBeSetLater
        ? 'An agent can set it once the session has left the activity that the answer opened and can no longer come back to it.'
        : 'It keeps its value in this session.',
    ),
  notAsked: (checkpoint: string) =>
    `Leave it out of this call. A variable that no agent can set can keep checkpoint '${checkpoint}' from being asked again.`,
  renameItem: (name: string, loop: string, activity: string | undefined) =>
    `An agent set the list of loop ${loopName(loop, activity)}, so the loop can't put its item into '${name}' either. The author of the workflow has to give the item another name.`,
  nameInSetBy: (name: string, activity: string) =>
    `If agents should set '${name}' when they leave '${activity}', the author of the workflow can name '${activity}' in its set_by.`,
} as const;

/** Options that an agent can't choose, because a person decided otherwise. */
export const decidedByPerson = {
  variable: (name: string, checkpoint: string, activity: string, parent: string | undefined) =>
    `A person decided variable '${name}' at checkpoint '${checkpoint}' ${placeOf(activity, parent)}, so an agent can't choose an option that sets it.`,
  shown: (name: string, checkpoint: string, activity: string) =>
    `Checkpoint '${checkpoint}' in '${activity}' showed variable '${name}' when a person answered it, so an agent can't choose an option that changes it yet.`,
  listOfLoop: (list: string, activity: string) =>
    `A loop of '${activity}' runs over '${list}', so an agent can't choose an option that takes items out of it or replaces them.`,
  answered: (checkpoint: string) =>
    `A person answered checkpoint '${checkpoint}', so an agent can't choose an option that names the next activity.`,
  next: (activity: string, option: 'names another' | 'skips it') =>
    `A person decided that '${activity}' is next, so an agent can't choose an option that ${option === 'skips it' ? 'skips it' : 'names the next activity'}.`,
  letPersonAnswer: (checkpoint: string) =>
    `Let a person answer '${checkpoint}'. Don't choose another option only to continue.`,
} as const;

/** Loops whose iterations can't be counted. */
export const loopMessages = {
  noList: ({ loop, variable, found }: MissingList) =>
    `Loop '${loop}' runs over '${variable}', which must hold an array; found ${found}.`,
  setList: (missing: MissingList): string =>
    `${loopMessages.noList(missing)} Set '${missing.variable}' when you leave the activity; an empty array means that there is nothing to do.`,
  /** @param lists what is wrong with the lists of the loops */
  noIteration: (checkpoint: string, loops: readonly string[], lists: readonly string[]) =>
    joined(
      `Checkpoint '${checkpoint}' is asked in the iterations of ${loops.length === 1 ? 'loop' : 'loops'} ${loops.map((loop) => `'${loop}'`).join(', ')}, and no iteration stops at it with the session's variables.`,
      ...lists,
      "Give the variables that the loop reads in 'variables' of this call.",
    ),
  noItem: (checkpoint: string, list: string, variable: string) =>
    `Checkpoint '${checkpoint}' is asked about an item of a list. ${list} Give '${variable}' in 'variables' of this call.`,
} as const;

/** What is wrong with a stored session. */
export const storedMessages = {
  brokenJournal: (sid: string, revision: number) =>
    `The journal of session '${sid}' lacks revision ${revision}, or does not lead to the end that the session has. Nothing was changed. A person can look at it with "workflowlookup sessions verify ${idInCommand(sid)}".`,
  noStart: (sid: string) => `The journal of session '${sid}' does not begin with its start.`,
  noDefinition: () =>
    'The definition that this session runs on is no longer stored. Restore the database from a backup.',
  otherDefinition: () =>
    'The definition that is kept for this session is not the one it was started on. Verify the session with "workflowlookup sessions verify", then restore the database from a backup.',
} as const;

/** How the served workflow differs from the one that a session continues with. */
export const driftMessages = {
  notServed: (workflow: string, version: string) =>
    `Workflow '${workflow}' is no longer served. This session continues with version ${version}, with which it was started.`,
  otherVersion: (workflow: string, served: string, version: string) =>
    `Workflow '${workflow}' has version ${served} now. This session continues with version ${version}, with which it was started.`,
  sameVersion: (workflow: string, version: string) =>
    `The definition of workflow '${workflow}' was changed, but its version ${version} was not. This session continues with the definition with which it was started.`,
} as const;

/** Transitions, and why they are open, as messages list them. */
export const transitionTexts = {
  nothing: () => 'nothing (the workflow ends here)',
  end: () => 'the end',
  to: (target: string, reason: string) => `${target} (${reason})`,
  initial: () => 'the initial activity',
  nextStep: () => 'the next step',
  nextInLoop: () => 'the next activity of the loop',
  anotherIteration: () => 'another iteration',
  answered: () => 'the answer to a checkpoint leads there',
  loop: (loop: string) => `loop '${loop}'`,
  decision: (decision: string) => `decision '${decision}'`,
  /** The condition may be a whole sentence of its author, so its full stop is removed. */
  by: (author: string | undefined, condition: string) => {
    const reason = condition.replace(/\.$/, '');
    return author === undefined ? reason : `${author}: ${reason}`;
  },
  past: (reason: string, skipped: string) => `${reason}; '${skipped}' is skipped`,

  notFound: (activity: string) => `'${activity}' was not found`,
  broken: (activity: string, file: string, problem: string | undefined) =>
    `'${activity}' (${file}) is broken: ${problem ?? 'it could not be read'}`,
  noActivity: () => 'The workflow has no activity that can be used.',
} as const;

/** Ends a text with a full stop, unless it ends with a punctuation mark already, as texts of authors may. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Most ids that a message lists: a loop may have any number. */
const maxListed = 60;

function listed(ids: readonly string[]): string {
  const more = ids.length - maxListed;
  return more > 0 ? `${ids.slice(0, maxListed).join(', ')} and ${more} more` : ids.join(', ');
}

function joined(...sentences: readonly string[]): string {
  return sentences.filter((text) => text !== '').join(' ');
}

/**
 * The messages about evidence of steps. A reason completes the sentence "Evidence 'tests' failed: …". A server adds the
 * call that collects evidence.
 */
export const evidenceMessages = {
  missing: (id: string) => `Evidence '${id}' is missing.`,
  /** @param step that asks for it, if it may be reported as not done */
  failed: (id: string, reasons: readonly string[], step?: string) =>
    `Evidence '${id}' failed: ${reasons.join(', ')}. Fix that, then collect it again.${step === undefined ? '' : ` If you can't, report step '${step}' in the manifest with its output, and with the reason in not_done.`}`,
  stale: (id: string) =>
    `Evidence '${id}' is stale: files, or the variables it depends on, changed after it was collected.`,
  weak: (id: string, found: string, level: string) =>
    `Evidence '${id}' has level ${found}, and the step asks for ${level}.`,
  unseen: (id: string, folder: string | undefined) =>
    `Evidence '${id}' was collected in ${folder === undefined ? 'another folder' : `'${folder}'`}, and this server can't see whether the files there have changed. Use the server of that folder.`,
  notConfigured: (id: string, reasons: readonly string[]) =>
    `Evidence '${id}' proves nothing: ${reasons.join(', ')}.`,
  /** Said once in a session. */
  withoutCheck: () =>
    'You can submit the output without this evidence. The session then shows that nothing was proved. A person can set up checks with "workflowlookup checks init".',
  passed: (id: string) => `Evidence '${id}' passed.`,

  unset: (id: string, variables: readonly string[]) =>
    `Evidence '${id}' can't be collected before ${variables.join(' and ')} ${variables.length === 1 ? 'has a value' : 'have values'}.`,
  unknown: (ids: readonly string[], known: readonly string[]) =>
    `The current activity asks for no evidence '${ids.join("', '")}'. It asks for: ${known.length === 0 ? 'none' : known.join(', ')}.`,
  /** @param activity in which it was collected */
  left: (id: string, activity: string) =>
    `Evidence '${id}' belongs to '${activity}', which the session has left, so it can't be collected again. Its last result stays on record, and everyone who decides sees whether files have changed since. If you changed files, tell your user.`,
  needsStatement: () =>
    'Only CI can prove it: have CI attest the check, then call collect_evidence with its statement.',
  /** @param steps that ask for the evidence and may be reported as not done */
  noFolder: (sid: string, steps: readonly string[]) =>
    joined(
      `This server can't see the folder in which you work, so it can't collect evidence. Ask the user to run a server for that folder, or to run "workflowlookup verify --session ${sid} --server URL" there, or call collect_evidence with the statement of CI.`,
      steps.length === 0
        ? ''
        : `If none of these is possible, report ${steps.length === 1 ? `step '${steps[0]}' in the manifest with its output` : `steps '${steps.join("', '")}' in the manifest with their outputs`}, and with the reason in not_done.`,
    ),
  otherFolder: (found: string, folder: string) =>
    `The session was started in '${folder}', and this server works in '${found}', so it can't collect its evidence. Use the server of that folder.`,
  noStatements: () => 'This server believes no signed statements. Start it with --trusted-key NAME=FILE.',
  otherCheck: (found: string, asked: readonly string[]) =>
    `The statement is about the check '${found}'. The current activity asks for: ${asked.length === 0 ? 'none' : asked.join(', ')}.`,
  otherSession: (found: string, sid: string) =>
    `The statement is for session '${found}', and this is session '${sid}'. Have CI attest the check for this session.`,
  noSession: (sid: string) =>
    `This server can't see the files, so a statement counts only if it names the session. Run "workflowlookup attest" in CI with --session ${sid}.`,
  inTheFuture: (ranAt: string) =>
    `The statement says that the check ran at ${ranAt}, which is in the future. Correct the clock of the machine that signed it.`,
  tooOld: (ranAt: string, newest: string) =>
    `The statement is of a run at ${ranAt}, expected one after ${newest}, when the activity was entered or the last result was collected. Have CI run the check again.`,
  otherCommit: (found: string, head: string) =>
    `The statement is about commit ${found}, and the working folder is at commit ${head}. Have CI attest that commit.`,
  notCommitted: (commit: string) =>
    `The statement is about commit ${commit}, and files of the working folder differ from the last commit. Commit or undo the changes, and have CI attest the commit.`,
  /** @param command with which a person trusts the checks */
  otherChecks: (command: string) =>
    `The checks of that commit are not those that a person trusted. Undo the change of .workflowlookup/checks.yaml, or ask the user to run "${command}".`,
  otherDemand: (id: string) =>
    `Evidence '${id}' asks for something else now, because the workflow or its variables have changed. Collect it again.`,
  sameCredential: () =>
    "This credential works on the session as an agent, so it can't report what a person saw. Use the API key of a person.",
  activityLeft: (activity: string) =>
    `The session left activity '${activity}' while its evidence was collected. Nothing was recorded.`,
} as const;
