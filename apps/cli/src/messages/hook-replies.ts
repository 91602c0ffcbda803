/** The texts that hooks give to agents. Ids are shown in single quotes. */
export const hookReplies = {
  stopBlocked: (sid: string, workflow: string, next: string) =>
    `Session ${sid} of workflow '${workflow}' is not finished. ${next} If you must stop now, call park with a reason instead.`,
  nextCall: (call: string) => `Next call: ${call}`,
  noSession: (kind: string) =>
    `This project requires a workflow session before ${kindText(kind)}. Call discover, then start_session, then do this again.`,
  sessionParked: (kind: string, sid: string) =>
    `Session ${sid} is parked, and this project requires a running session before ${kindText(kind)}. Call start_session with session_token "${sid}" to resume it.`,
  notAllowed: (kind: string, activity: string, allows: readonly string[], token: string) =>
    `Activity '${activity}' does not allow ${kindText(kind)}. It allows ${allows.length === 0 ? 'only reading' : allows.map(kindText).join(' and ')}. Finish it with next_activity {"session_token": "${token}"}, or choose another way.`,
  noClientSession: (event: string) =>
    `The client sent the event ${event} without an id of its session. Expected 'session_id', or 'conversation_id' in Cursor.`,
  hookFailed: () =>
    'The hook of workflowlookup failed, and the policy of this project blocks tools then. Ask the user to run: workflowlookup hooks status',
  parkedByHook: () =>
    'The agent stopped twice in the middle and made no progress. A hook of its client parked the session.',
  observed: (ids: string, outcome: string) =>
    `The hook recorded for evidence '${ids}' that this command ${outcome}. If the server answers your next call with SESSION_CONFLICT, repeat it with the token in its reply.`,
  checkFailed: (exitCode: number) => `exit code ${exitCode}`,
  answered: (checkpoint: string, answer: string, sid: string, token: string) =>
    `Checkpoint '${checkpoint}' of session ${sid} was answered: '${answer}'. Next call: resume_checkpoint {"session_token": "${token}"}`,
  packet: (lines: readonly string[]) => ['You are in the middle of a workflow session.', ...lines].join('\n'),
  packetSession: (sid: string, workflow: string, title: string) =>
    `Session: ${sid}, workflow '${workflow}' (${title})`,
  packetActivity: (activity: string, name: string, done: number) =>
    `Current activity: '${activity}' (${name}). Activities completed before: ${done}`,
  packetSteps: (steps: string) => `Steps that are still required: ${steps}`,
  packetCheckpoint: (checkpoint: string, message: string) =>
    `Open checkpoint: '${checkpoint}'. It asks: ${message}`,
  packetParked: (reason: string) => `The session is parked. Reason: ${reason}`,
  packetRead: (token: string) =>
    `The instructions may be lost. Read them again with get_activity {"session_token": "${token}"}`,
  unknownClient: (names: readonly string[]) =>
    `workflowlookup hook: --client must be one of ${names.join(', ')}.`,
} as const;

/** What is wrong with a policy file. */
export const policyProblems = {
  notFile: 'it is not a file.',
  tooLarge: (size: number, limit: number) => `it has ${size} bytes, at most ${limit} are read.`,
  noMapping: 'it must be a mapping of rules.',
  yaml: (line: number, message: string) => `line ${line}: ${message}`,
  value: (key: string, names: readonly string[], found: string) =>
    `${key} must be ${names.join(' or ')}, found ${found}.`,
  unknown: (keys: string, known: string) => `${keys} must be one of ${known}.`,
  requireSession: (kinds: string, found: string) =>
    `require_session must be a list of ${kinds}, found ${found}.`,
} as const;

function kindText(kind: string): string {
  return { edit: 'editing files', shell: 'shell commands', network: 'use of the network' }[kind] ?? kind;
}
