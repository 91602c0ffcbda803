/**
 * Every error that a caller can branch on: its JSON-RPC number, its HTTP status, its short title on the wire, what it
 * means, and what to do next. The specifications fix the numbers and titles of -32602 and -32603, and of -32000 to
 * -32007 for lookups. `docs/errors.md` shows this table.
 */
export const errorCodes = {
  SERVER_ERROR: {
    rpc: -32000,
    http: 500,
    title: 'Server error',
    meaning: "The server can't accept this request now.",
    next: 'Send initialize first, or wait until the server has started.',
  },
  WORKFLOW_NOT_FOUND: {
    rpc: -32001,
    http: 404,
    title: 'Workflow not found',
    meaning: 'No source has a workflow with this id.',
    next: 'List the workflows and use one of their ids.',
  },
  INVALID_WORKFLOW: {
    rpc: -32002,
    http: 422,
    title: 'Invalid workflow',
    meaning: 'The definition of the workflow has errors.',
    next: 'Correct the errors in data.issues.',
  },
  STEP_NOT_FOUND: {
    rpc: -32003,
    http: 404,
    title: 'Step not found',
    meaning: 'The workflow has no step with this id.',
    next: 'Use the id of a step exactly as the server returned it.',
  },
  INVALID_CRITERIA: {
    rpc: -32004,
    http: 422,
    title: 'Validation error',
    meaning: "The validation criteria of a step can't be used.",
    next: 'Correct the criteria in the workflow.',
  },
  INVALID_FILE: {
    rpc: -32004,
    http: 422,
    title: 'Validation error',
    meaning: "The content of a file can't be used, or a command can't convert it without loss.",
    next: 'Correct the file. If it is an exported session, export it again.',
  },
  INVALID_STATE: {
    rpc: -32005,
    http: 409,
    title: 'State error',
    meaning: 'The session, or another object, is not in a state that allows this call.',
    next: 'Make the call that the message names.',
  },
  CONFLICT: {
    rpc: -32005,
    http: 409,
    title: 'Conflict',
    meaning: 'The target exists already, or somebody else changed it.',
    next: 'Read it again, then repeat the change, or choose another name.',
  },
  STORE_UNAVAILABLE: {
    rpc: -32006,
    http: 503,
    title: 'Storage error',
    meaning: 'The database cannot be used at the moment.',
    next: 'Look up data.reason. If data.retryable is true, send the same call again.',
  },
  STORE_DAMAGED: {
    rpc: -32006,
    http: 500,
    title: 'Storage error',
    meaning: "Stored data is damaged or missing, or has no seal that matches this server's keys.",
    next: 'Run "workflowlookup sessions verify", then restore a backup.',
  },
  SOURCE_UNREADABLE: {
    rpc: -32006,
    http: 503,
    title: 'Storage error',
    meaning: "A file or folder of definitions can't be read.",
    next: 'Run "workflowlookup doctor".',
  },
  KEYS_UNUSABLE: {
    rpc: -32006,
    http: 503,
    title: 'Storage error',
    meaning: "The keys of the server can't be used, or are not those of the other servers.",
    next: 'Put the keys back, or set WORKFLOWLOOKUP_KEYS to the same value on all servers.',
  },
  NOT_WRITTEN: {
    rpc: -32006,
    http: 500,
    title: 'Storage error',
    meaning: "A file, or the output of a command, can't be written.",
    next: 'Free some space, or give the user permission to write there.',
  },
  UNSAFE_FILE: {
    rpc: -32007,
    http: 403,
    title: 'Security error',
    meaning: 'A file is a symbolic link that leads elsewhere, or its name has hidden characters.',
    next: 'Replace the link with a real file, or remove the hidden characters from the name.',
  },
  UNTRUSTED: {
    rpc: -32007,
    http: 403,
    title: 'Workflow not trusted',
    meaning: 'The definition belongs to a project, and no person has trusted its current text.',
    next: 'Ask the user to run data.command.',
  },
  SESSION_UNVERIFIED: {
    rpc: -32005,
    http: 409,
    title: 'Session not verified',
    meaning: 'The session has no seal that this server can verify.',
    next: 'Run "workflowlookup sessions verify".',
  },
  NOT_FOUND: {
    rpc: -32003,
    http: 404,
    title: 'Not found',
    meaning: 'A session, API key, page or other object with this name does not exist.',
    next: 'List the objects and use one of their names.',
  },
  ACTIVITY_NOT_FOUND: {
    rpc: -32003,
    http: 404,
    title: 'Activity not found',
    meaning: 'The workflow has no activity with this id, or the activity has errors.',
    next: 'Use one of the activities that the message names.',
  },
  CHECKPOINT_NOT_FOUND: {
    rpc: -32003,
    http: 404,
    title: 'Checkpoint not found',
    meaning: 'The current activity has no checkpoint with this id.',
    next: 'Use one of the checkpoints that the message names.',
  },
  SKILL_NOT_FOUND: {
    rpc: -32003,
    http: 404,
    title: 'Skill not found',
    meaning: 'The skill is missing, has errors, or is not named in the workflow.',
    next: 'Use a skill that the current activity names.',
  },
  RESOURCE_NOT_FOUND: {
    rpc: -32003,
    http: 404,
    title: 'Resource not found',
    meaning: 'The workflow has no resource with this id.',
    next: 'Use a resource that the current activity names.',
  },
  CHECKPOINT_OPEN: {
    rpc: -32005,
    http: 409,
    title: 'Checkpoint is open',
    meaning: 'A checkpoint needs an answer first.',
    next: 'Ask the question, or wait for the answer. The message says which.',
  },
  ILLEGAL_TRANSITION: {
    rpc: -32005,
    http: 409,
    title: 'Illegal transition',
    meaning: 'No transition leads from the current activity to this one.',
    next: 'Choose one of the activities that the message names.',
  },
  MANIFEST_INVALID: {
    rpc: -32005,
    http: 409,
    title: 'Manifest not accepted',
    meaning: 'The manifest lacks a required step, or has an output that is not accepted.',
    next: 'Correct the manifest as the message says, then send it again.',
  },
  EVIDENCE_REQUIRED: {
    rpc: -32005,
    http: 409,
    title: 'Evidence required',
    meaning: 'Evidence that a step asks for is missing, has failed or is stale.',
    next: 'Do what the message says, then call collect_evidence.',
  },
  STATEMENT_REFUSED: {
    rpc: -32005,
    http: 409,
    title: 'Statement refused',
    meaning: 'No trusted key signed the statement, or it is about another commit, check or session.',
    next: 'Do what the message says, then submit a new statement.',
  },
  VARIABLE_PROTECTED: {
    rpc: -32005,
    http: 409,
    title: 'Variable protected',
    meaning: "An agent can't set this variable now.",
    next: 'Leave the variable out. If there is a way to change it, the message describes it.',
  },
  HUMAN_REQUIRED: {
    rpc: -32005,
    http: 403,
    title: 'Human required',
    meaning: 'Only a person can answer this checkpoint.',
    next: 'Ask the user to answer it with the command that the message names.',
  },
  NOTE_REQUIRED: {
    rpc: -32005,
    http: 409,
    title: 'Note required',
    meaning: 'An answer with this option must have a note.',
    next: 'Send the answer again with a note.',
  },
  SESSION_COMPLETED: {
    rpc: -32005,
    http: 409,
    title: 'Session completed',
    meaning: 'The session is completed, so it can only be read.',
    next: 'Start a new session.',
  },
  SESSION_CONFLICT: {
    rpc: -32005,
    http: 409,
    title: 'Session conflict',
    meaning: 'Another call changed the session since it was read.',
    next: 'Call get_workflow_status with the token in the error, and use the token it returns.',
  },
  TOKEN_INVALID: {
    rpc: -32007,
    http: 401,
    title: 'Token not valid',
    meaning: 'The token or credential is not valid. Maybe it was changed or made with other keys.',
    next: 'Send the newest token exactly as you received it, or sign in again.',
  },
  FORBIDDEN: {
    rpc: -32007,
    http: 403,
    title: 'Forbidden',
    meaning: 'The caller may not do this.',
    next: 'Use a credential with the permission that the message names.',
  },
  QUOTA_EXCEEDED: {
    rpc: -32005,
    http: 429,
    title: 'Quota exceeded',
    meaning: 'The caller has too many sessions, or the session has too many events or calls.',
    next: 'Look up data.quota. Then wait or complete a session, and try again.',
  },
  TOO_COSTLY: {
    rpc: -32000,
    http: 422,
    title: 'Too costly',
    meaning: 'The call needs more time, memory or space than one call may use.',
    next: 'Send a smaller definition, output or list of criteria.',
  },
  BUSY: {
    rpc: -32000,
    http: 429,
    title: 'Busy',
    meaning: 'Too many calls of this caller are waiting.',
    next: 'Send the call again after data.retry_after_seconds.',
  },
  TIMEOUT: {
    rpc: -32000,
    http: 408,
    title: 'Timeout',
    meaning: 'The request did not arrive completely in time.',
    next: 'Send the whole request again.',
  },
  CANCELLED: {
    rpc: -32000,
    http: 409,
    title: 'Cancelled',
    meaning: 'The caller ended the call, or a person declined it.',
    next: 'Send the call again if it is still needed.',
  },
  INVALID_INPUT: {
    rpc: -32602,
    http: 400,
    title: 'Invalid params',
    meaning: 'An argument, option or body is missing, unknown or malformed.',
    next: 'Correct the value that the message names.',
  },
  INTERNAL: {
    rpc: -32603,
    http: 500,
    title: 'Internal error',
    meaning: 'The server failed.',
    next: 'Read the log of the server, and report the failure.',
  },
} as const satisfies Record<string, ErrorRow>;

/** One row of {@link errorCodes}. */
interface ErrorRow {
  readonly rpc: number;
  readonly http: number;
  readonly title: string;
  /** What the code means, in one sentence. */
  readonly meaning: string;
  /** What the caller should do next, in one sentence. */
  readonly next: string;
}

/** The name of an error. Callers branch on it, never on text. */
export type ErrorCode = keyof typeof errorCodes;

const explained = 'https://github.com/workflowlookup/workflowlookup/blob/main/docs/errors.md';

const storeFailures: ReadonlySet<string> = new Set<ErrorCode>([
  'KEYS_UNUSABLE',
  'NOT_WRITTEN',
  'SOURCE_UNREADABLE',
  'STORE_DAMAGED',
  'STORE_UNAVAILABLE',
]);

/** Returns whether a code says that stored data, keys or files failed, and not that the caller made a mistake. */
export function isStoreFailure(code: unknown): boolean {
  return typeof code === 'string' && storeFailures.has(code);
}

/** Returns the web address that explains an error. */
export function errorHelp(code: ErrorCode): string {
  return `${explained}#${code.toLowerCase().replaceAll('_', '-')}`;
}

/** The command with which a person trusts definitions, the remedy for `UNTRUSTED`. */
export const trustCommand = 'workflowlookup trust';

/** Optional details of a {@link WorkflowError}. */
export interface WorkflowErrorOptions {
  /** The facts in the message as fields. They are safe to show to a caller: no paths, tokens or outputs. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The original error, for logs. Never shown to a caller. */
  readonly cause?: unknown;
}

/**
 * The only error class: a code to branch on, and a message that names the thing, the value found and the remedy.
 *
 * @example
 * ```ts
 * try {
 *   await engine.get('relaese');
 * } catch (error) {
 *   if (error instanceof WorkflowError && error.code === 'WORKFLOW_NOT_FOUND') console.log(error.message);
 * }
 * ```
 */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError';
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: WorkflowErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
  }
}

/**
 * Returns an id from a database for use in a command that a person is told to run. Returns `ID` if a shell or the
 * command line could misinterpret it, because anybody who can write to the database could have chosen it.
 */
export function idInCommand(id: string): string {
  return /^\w[\w-]*$/.test(id) ? id : 'ID';
}
