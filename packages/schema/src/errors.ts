/**
 * Every error a caller can branch on, with its JSON-RPC number, its HTTP status, its short title on the wire, and the
 * heading of docs/errors.md that explains it.
 */
export const errorCodes = {
  SERVER_ERROR: { rpc: -32000, http: 500, title: 'Server error', slug: 'server-error' },
  WORKFLOW_NOT_FOUND: { rpc: -32001, http: 404, title: 'Workflow not found', slug: 'workflow-not-found' },
  INVALID_WORKFLOW: { rpc: -32002, http: 422, title: 'Invalid workflow', slug: 'invalid-workflow' },
  STEP_NOT_FOUND: { rpc: -32003, http: 404, title: 'Step not found', slug: 'step-not-found' },
  VALIDATION: { rpc: -32004, http: 422, title: 'Validation error', slug: 'validation' },
  STATE: { rpc: -32005, http: 409, title: 'State error', slug: 'state' },
  STORAGE: { rpc: -32006, http: 503, title: 'Storage error', slug: 'storage' },
  SECURITY: { rpc: -32007, http: 403, title: 'Security error', slug: 'security' },
  UNTRUSTED: { rpc: -32007, http: 403, title: 'Workflow not trusted', slug: 'untrusted' },
  ACTIVITY_NOT_FOUND: { rpc: -32003, http: 404, title: 'Activity not found', slug: 'activity-not-found' },
  CHECKPOINT_NOT_FOUND: {
    rpc: -32003,
    http: 404,
    title: 'Checkpoint not found',
    slug: 'checkpoint-not-found',
  },
  SKILL_NOT_FOUND: { rpc: -32003, http: 404, title: 'Skill not found', slug: 'skill-not-found' },
  RESOURCE_NOT_FOUND: { rpc: -32003, http: 404, title: 'Resource not found', slug: 'resource-not-found' },
  GATE_ACTIVE: { rpc: -32005, http: 409, title: 'Checkpoint waits', slug: 'gate-active' },
  ILLEGAL_TRANSITION: { rpc: -32005, http: 409, title: 'Illegal transition', slug: 'illegal-transition' },
  MANIFEST_INVALID: { rpc: -32005, http: 409, title: 'Manifest not accepted', slug: 'manifest-invalid' },
  VARIABLE_PROTECTED: {
    rpc: -32005,
    http: 409,
    title: 'Variable protected',
    slug: 'variable-protected',
  },
  HUMAN_REQUIRED: { rpc: -32005, http: 403, title: 'Human required', slug: 'human-required' },
  SESSION_COMPLETED: { rpc: -32005, http: 409, title: 'Session completed', slug: 'session-completed' },
  SESSION_CONFLICT: { rpc: -32005, http: 409, title: 'Session conflict', slug: 'session-conflict' },
  TOKEN_INVALID: { rpc: -32007, http: 401, title: 'Token not valid', slug: 'token-invalid' },
  FORBIDDEN: { rpc: -32007, http: 403, title: 'Forbidden', slug: 'forbidden' },
  QUOTA_EXCEEDED: { rpc: -32005, http: 429, title: 'Quota exceeded', slug: 'quota-exceeded' },
  TOO_COSTLY: { rpc: -32000, http: 422, title: 'Too costly', slug: 'too-costly' },
  BUSY: { rpc: -32000, http: 429, title: 'Busy', slug: 'busy' },
  INVALID_PARAMS: { rpc: -32602, http: 400, title: 'Invalid params', slug: 'invalid-params' },
  INTERNAL: { rpc: -32603, http: 500, title: 'Internal error', slug: 'internal' },
} as const satisfies Record<string, { rpc: number; http: number; title: string; slug: string }>;

/** The name of an error. Callers branch on it, never on text. */
export type ErrorCode = keyof typeof errorCodes;

const explained = 'https://github.com/workflowlookup/workflowlookup/blob/main/docs/errors.md';

/** Returns the web address that explains an error. */
export function errorHelp(code: ErrorCode): string {
  return `${explained}#${errorCodes[code].slug}`;
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
