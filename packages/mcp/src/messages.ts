import type { CallKind } from '@workflowlookup/core/sessions';

/** The tool of each kind of call, and the beginning of a sentence that ends with its name and says how to resolve an error. */
export const callKinds: Readonly<Record<CallKind, { readonly tool: string; readonly remedy: string }>> = {
  start: { tool: 'start_session', remedy: 'Start or resume a session with' },
  status: { tool: 'get_workflow_status', remedy: 'See the state of the session with' },
  'read-workflow': { tool: 'get_workflow', remedy: 'Read the workflow with' },
  move: { tool: 'next_activity', remedy: 'Enter an activity with' },
  collect: { tool: 'collect_evidence', remedy: 'Collect the evidence with' },
  'read-activity': { tool: 'get_activity', remedy: 'Read the activity with' },
  yield: { tool: 'yield_checkpoint', remedy: 'Yield the checkpoint with' },
  resume: { tool: 'resume_checkpoint', remedy: 'After the answer, continue with' },
  present: { tool: 'present_checkpoint', remedy: 'See what the checkpoint asks with' },
  answer: { tool: 'respond_checkpoint', remedy: 'Answer the checkpoint with' },
  park: { tool: 'park', remedy: 'Set the session aside with' },
  'read-skills': { tool: 'get_skills', remedy: 'Read the skills with' },
  'read-skill': { tool: 'get_skill', remedy: 'Read the skill with' },
  'read-resource': { tool: 'get_resource', remedy: 'Read the resource with' },
  'resolve-operations': { tool: 'resolve_operations', remedy: 'Look operations up with' },
  'read-trace': { tool: 'get_trace', remedy: 'Read the trace with' },
};

/**
 * Every message of this package that an agent or a user reads, as functions from data to text. The descriptions of tools stand
 * with the tools. The handshake specification fixes the texts of `fieldRequired` and of the titles of JSON-RPC errors.
 */
export const messages = {
  // What the server says when a connection opens.

  commonInstructions: () =>
    'This server provides workflows. Do not skip, reorder or invent steps. If a step needs confirmation, ask the user and wait.',
  stepInstructions: () =>
    [
      'Find a workflow with workflow_list, call workflow_next with completedSteps [] and do the step it returns.',
      'Check the output with workflow_validate. Then call workflow_next with the id of every completed step, exactly as given, and',
      'what you learned in context, until isComplete is true. If steps are undecided, set their variables.',
    ].join(' '),
  sessionInstructions: () =>
    [
      'Take the workflow that your user named, or choose one with list_workflows. start_session with its workflow_id and',
      'include_activity: true returns the first activity and a session_token. Do it, then call next_activity with',
      'include_activity: true, the newest session_token, and a step_manifest with an output for each step id in remaining, or for',
      'the step_id shown: it returns the next activity. Repeat until the status is completed, then tell your user the result. At a checkpoint, call',
      'yield_checkpoint with include_checkpoint: true, and do what how_to_answer says. discover lists sessions to resume, also',
      'after lost context.',
    ].join(' '),
  lookupBesideSessions: () =>
    'workflow_next and workflow_validate are for programs that keep the state themselves.',
  defaultGuide: () =>
    [
      'Find a workflow that fits the goal with list_workflows. start_session with include_activity: true starts it, and returns the',
      'first activity and the token that every other call needs. With the id of an open session as session_token, it resumes that one.',
      'Do the steps, and submit them with next_activity, step_manifest and include_activity: true. It returns the next activity.',
      'At a checkpoint, call yield_checkpoint with include_checkpoint: true, and do what how_to_answer says.',
      'get_workflow_status returns the state of a session and the calls that are allowed now.',
    ].join('\n'),
  /** @param workflow its texts, and as `context` the variables that are known, as JSON */
  followWorkflow: (workflow: Readonly<Record<'context' | 'description' | 'id' | 'name', string>>) =>
    [
      `Follow the workflow '${workflow.name}' to its end${workflow.description === '' ? '.' : `: ${workflow.description}`}`,
      `Start with workflow_next {"workflowId": "${workflow.id}", "completedSteps": [], "context": ${workflow.context}} and do the step it returns.`,
      'Check the output of each step with workflow_validate before you count it as completed. Then call workflow_next again with the',
      'id of every completed step, exactly as given, and with what you learned in context. If a step needs confirmation, stop and',
      'ask the user.',
    ].join('\n'),

  // JSON-RPC messages that can't be handled.

  notJson: () => 'The text is not valid JSON. Send a JSON-RPC 2.0 message.',
  nestedTooDeeply: (maxLevels: number) =>
    `The message is nested too deeply: at most ${maxLevels} levels are allowed. Send a flatter object.`,
  notAnObject: (found: string) => `A message must be a JSON object, found ${found}.`,
  wrongJsonrpc: () => `'jsonrpc' must be '2.0'. Add "jsonrpc": "2.0" to the message.`,
  mustBe: (field: string, expected: string, found: string) =>
    `'${field}' must be ${expected}, found ${found}.`,
  wrongId: (found: string) =>
    `'id' must be a string or a number, found ${found}. Leave it out to send a notification.`,
  methodMissing: () =>
    "'method' is missing. Send a request with a method, or a response with an id and either a result or an error.",
  notARequest: () =>
    "This is not a valid request. Send only 'jsonrpc', 'id', 'method' and 'params', a safe integer or a text as the id, and objects as 'params' and 'params._meta'.",
  tooLong: (field: string, maxLength: number, length: number) =>
    `'${field}' must be at most ${maxLength} characters long, found a text of ${length} characters.`,
  messageTooLarge: (maxBytes: number) => `A message may have at most ${maxBytes} bytes. Send less at once.`,
  idInUse: (id: string | number) =>
    `A request with the id ${JSON.stringify(id)} is still in progress. Use a new id for each request.`,
  emptyBatch: () => 'The batch is empty. Send at least one message in it.',
  batchNotAllowed: (version: string) =>
    `Batches are only allowed in sessions of revision ${version}. Send each message by itself.`,
  batchTooLarge: (length: number, max: number) =>
    `The batch has ${length} messages, and at most ${max} are allowed. Split it into smaller batches.`,

  // The opening of a session.

  fieldRequired: (field: string) => `${field} is required`,
  fieldMustBe: (field: string, expected: string) => `${field} must be ${expected}`,
  alreadyInitialized: () => 'The session is already initialized. Continue without another initialize.',
  wrongLogLevel: (levels: readonly string[]) => `level must be one of ${levels.join(', ')}`,

  // HTTP requests.

  wrongContentType: (found: string | null) =>
    `The content type must be application/json, found ${found ?? 'none'}. Send Content-Type: application/json`,
  wrongAccept: (found: string | null) =>
    `The client accepts only ${found ?? 'nothing'}. Send Accept: application/json, text/event-stream`,
  streamNotAccepted: () =>
    'A GET request opens an event stream, which the client does not accept. Send Accept: text/event-stream',
  bodyTooLarge: (maxBytes: number) =>
    `The body has more than ${maxBytes} bytes, the most allowed. Send less at once.`,
  tooManyValues: (maxValues: number) =>
    `The body has more than ${maxValues} JSON values, the most allowed. Send fewer at once.`,
  bodyTooSlow: () => 'The body did not arrive in time. Send the request again.',
  bodyIncomplete: () => 'The body ended before it was complete. Send the request again.',
  sessionIdMissing: () =>
    'The Mcp-Session-Id header is missing. Send initialize first, then repeat the header of its response in every request.',
  sessionNotFound: () => 'The session has ended or never existed. Open a new session with initialize.',
  wrongVersionHeader: (found: string, versions: readonly string[]) =>
    `MCP-Protocol-Version must be one of ${versions.join(', ')} in a session, found '${found}'. Send the negotiated version.`,
  tooManySessions: () => 'Too many sessions are open. Try again in a few seconds.',
  allStreamsOpen: (max: number) =>
    `All ${max} streams of this server are open. Try again later, or use another server.`,
  ownStreamsOpen: (max: number) => `You have ${max} streams open, the most allowed. Close one of them.`,

  // The arguments of tools and prompts.

  unknownTool: (name: string) => `There is no tool '${name}'. Call tools/list to see the tools.`,
  toolNameMissing: () => "'name' must be the name of a tool. Call tools/list to see the tools.",
  invalidArguments: (tool: string, details: string) => `Invalid arguments for ${tool}: ${details}`,
  argumentMustBe: (field: string, expected: string, found: string) =>
    `${field} must be ${expected}, found ${found}`,
  unknownArgument: (name: string, nearest: string | undefined, parameters: readonly string[]) => {
    if (nearest !== undefined) return `${name} is not a parameter; did you mean '${nearest}'?`;
    return parameters.length === 0
      ? `${name} is not a parameter; this tool has none`
      : `${name} is not a parameter; the parameters are: ${parameters.join(', ')}`;
  },
  numberTooLarge: (field: string) =>
    `${field} must be a number of at most 1.7976931348623157e308, found a larger one`,
  loneSurrogate: (field: string, index: number) =>
    `${field} must be Unicode text, found half of a surrogate pair at character ${index}`,
  loneSurrogateInName: (field: string) =>
    `${field} must have names of Unicode text, found half of a surrogate pair in one`,
  moreProblems: (count: number) => (count === 1 ? '1 more problem' : `${count} more problems`),
  wrongCursor: () =>
    "cursor must be the 'nextCursor' of an earlier page. Leave it out to get the first page.",
  unknownPromptArgument: (name: string) => `${name} is not an argument of this prompt`,
  stateForged: () => 'requestState was not made by this server. Call the tool again without it.',
  stateExpired: () => 'requestState has expired. Call the tool again without it.',
  stateOfOtherCall: () => 'requestState belongs to another call. Call the tool again without it.',

  // Checkpoints.

  checkpointTokenMissing: () =>
    'checkpoint_handle is missing. Pass the handle that yield_checkpoint returned, or the session_token instead.',
  oneAnswer: (found: number) =>
    `Pass exactly one of option_id, auto_advance: true and condition_not_met: true; found ${found}.`,
  noteWithoutAnswer: () => 'note belongs to an answer. Pass it with option_id, or leave it out.',
  yielded: (isAlone: boolean) =>
    isAlone
      ? 'Stop here until it is answered. present_checkpoint returns the question; do what its how_to_answer says.'
      : 'Stop here and give the checkpoint_handle to your orchestrator in a <checkpoint_yield> block. Once the checkpoint is answered, ' +
        'continue with resume_checkpoint. The agent that talks to the user calls present_checkpoint, asks the user, and calls ' +
        'respond_checkpoint.',
  howToAnswer: (by: 'person' | 'user' | 'agent') =>
    ({
      person:
        'Only a person can answer, outside of this conversation. Tell your user the command in human_answers_with. Then end your turn, or wait with resume_checkpoint and wait_ms.',
      user: 'Ask your user with these options, and pass on the choice as option_id of next_activity, or of respond_checkpoint if steps remain. Do not choose yourself. If nobody answers, leave the checkpoint open and end your turn: the session waits and keeps everything.',
      agent:
        'The workflow leaves this decision to you. Choose by what you found, and pass the option as option_id to next_activity, or to respond_checkpoint if steps remain.',
    })[by],
  taken: () =>
    'Nobody is asked: the decision can be undone, so the server took the default option and listed it for review. Continue with the remaining steps.',
  resumed: () => 'The checkpoint is answered. Continue with the remaining steps.',
  resumedWithNotes: () =>
    'The checkpoint is answered. person_notes has what the person wrote. Follow it, then continue with the remaining steps.',
  markedText: () => 'Text between « and » is not part of the workflow: the agent may have written it.',

  outputMissing: (field: string) =>
    `${field}.output is required. Give what the step produced, or in not_done why a step that may be missing was not done.`,

  // Other results.

  valueInCall: (name: string) => `the value of ${name} in this call`,
  eachManifestStep: () => 'each of manifest_steps',
  remedy: (kind: CallKind) => `${callKinds[kind].remedy} ${callKinds[kind].tool}.`,
  /** @param call the name of a tool and its arguments as JSON, without the token */
  askWith: (call: string) => `Ask it: ${call}.`,
  dismissWith: (call: string) => `Its condition is false, so nobody is asked. Dismiss it: ${call}.`,
  noteWith: (call: string) => `Ask your user for the words of the note, then answer: ${call}.`,
  ownNoteWith: (call: string) => `Answer: ${call}.`,
  tellUser: (call: string) =>
    `Tell your user, then wait: ${call}. If nobody answers, end your turn: the session waits and keeps everything.`,
  askUser: (options: readonly string[], call: string) =>
    `Ask your user to choose (${options.join(', ')}), and pass on the choice as option_id of next_activity, or if steps remain: ${call}. If nobody answers, end your turn: the session waits and keeps everything.`,
  askUserOrWait: (options: readonly string[], call: string, wait: string) =>
    `If you talk to the user, ask them to choose (${options.join(', ')}), and pass on the choice: ${call}. Otherwise wait for the answer: ${wait}.`,
  choose: (options: readonly string[], call: string) =>
    `The workflow leaves the choice to you (${options.join(', ')}): pass it as option_id of next_activity, or if steps remain: ${call}.`,
  untrusted: (count: number, command: string) =>
    `${count === 1 ? '1 definition of this project is' : `${count} definitions of this project are`} not served, because no person ` +
    `has trusted them. Ask the user to run this at a terminal: ${command}`,
  callCancelled: () =>
    'The call was cancelled before it finished. Call the tool again if you need the result.',
  internalError: () => "Internal error. The server's log says more.",

  // The client.

  credentialsRejected: (status: number) => `The server rejected the credentials (HTTP ${status}).`,
} as const;

type Expectation = (params: Readonly<Record<string, unknown>>) => string;

/** What each keyword of the input schemas expects of a value, as the end of a sentence with "must be". */
export const expectations: Readonly<Record<string, Expectation>> & { readonly others: Expectation } = {
  type: ({ type }) => withArticle(String(type)),
  enum: ({ allowedValues }) => `one of ${(allowedValues as readonly unknown[]).join(', ')}`,
  pattern: () => 'an id of lower-case letters, digits and dashes',
  minLength: ({ limit }) => `at least ${String(limit)} characters long`,
  maxLength: ({ limit }) => `at most ${String(limit)} characters long`,
  maxItems: ({ limit }) => `a list of at most ${String(limit)}`,
  minimum: ({ limit }) => `at least ${String(limit)}`,
  minItems: ({ limit }) => `a list of at least ${String(limit)}`,
  maximum: ({ limit }) => `at most ${String(limit)}`,
  others: () => 'as the input schema requires',
};

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Describes a value for a message, without repeating long texts. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 64 ? `a text of ${value.length} characters` : `'${value}'`;
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  return 'an object';
}
