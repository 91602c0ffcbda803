import { expect, test } from 'vitest';
import { messages } from '../src/messages.ts';

/** Arguments for every message. */
const samples: { readonly [Name in keyof typeof messages]: readonly Parameters<(typeof messages)[Name]>[] } =
  {
    commonInstructions: [[]],
    stepInstructions: [[]],
    sessionInstructions: [[]],
    defaultGuide: [[]],
    followWorkflow: [
      [{ id: 'bug-hunt', name: 'Bug hunt', description: 'Find a bug', context: '{"ticket":"T-1"}' }],
      [{ id: 'bug-hunt', name: 'Bug hunt', description: '', context: '{}' }],
    ],
    notJson: [[]],
    nestedTooDeeply: [[256]],
    notAnObject: [['5']],
    wrongJsonrpc: [[]],
    mustBe: [['params', 'an object', 'an array']],
    wrongId: [['null']],
    methodMissing: [[]],
    tooLong: [['id', 256, 300]],
    messageTooLarge: [[10_000_000]],
    idInUse: [[7], ['seven']],
    emptyBatch: [[]],
    batchNotAllowed: [['2025-03-26']],
    batchTooLarge: [[101, 100]],
    fieldRequired: [['protocolVersion']],
    fieldMustBe: [['protocolVersion', 'a string']],
    alreadyInitialized: [[]],
    wrongLogLevel: [[['debug', 'info']]],
    wrongContentType: [['text/plain'], [null]],
    wrongAccept: [['text/html'], [null]],
    streamNotAccepted: [[]],
    bodyTooLarge: [[10_000_000]],
    tooManyValues: [[20_000]],
    bodyTooSlow: [[]],
    bodyIncomplete: [[]],
    sessionIdMissing: [[]],
    sessionNotFound: [[]],
    wrongVersionHeader: [['2020-01-01', ['2025-03-26', '2025-06-18']]],
    tooManySessions: [[]],
    allStreamsOpen: [[1000]],
    ownStreamsOpen: [[10]],
    unknownTool: [['workflow_nxt']],
    toolNameMissing: [[]],
    invalidArguments: [['workflow_get', 'id is required']],
    argumentMustBe: [['limit', 'at least 1', '0']],
    unknownArgument: [
      ['workflow', 'workflowId', ['workflowId', 'context']],
      ['colour', undefined, ['workflowId', 'context']],
      ['colour', undefined, []],
    ],
    numberTooLarge: [['context.level']],
    loneSurrogate: [['output', 12]],
    loneSurrogateInName: [['context']],
    moreProblems: [[1], [5]],
    wrongCursor: [[]],
    unknownPromptArgument: [['colour']],
    stateForged: [[]],
    stateExpired: [[]],
    stateOfOtherCall: [[]],
    checkpointTokenMissing: [[]],
    oneAnswer: [[0], [2]],
    yielded: [[]],
    resumed: [[]],
    markedText: [[]],
    remedy: [
      ['start', 'start_session'],
      ['status', 'get_workflow_status'],
      ['read-workflow', 'get_workflow'],
      ['move', 'next_activity'],
      ['read-activity', 'get_activity'],
      ['yield', 'yield_checkpoint'],
      ['resume', 'resume_checkpoint'],
      ['present', 'present_checkpoint'],
      ['answer', 'respond_checkpoint'],
      ['read-skills', 'get_skills'],
      ['read-skill', 'get_skill'],
      ['read-resource', 'get_resource'],
      ['resolve-operations', 'resolve_operations'],
      ['read-trace', 'get_trace'],
    ],
    untrusted: [
      [1, 'workflowlookup trust'],
      [3, 'workflowlookup trust'],
    ],
    callCancelled: [[]],
    internalError: [[]],
    credentialsRejected: [[401]],
  };

test('the words of every message', () => {
  const texts = Object.entries(messages).map(([name, message]) => {
    const calls = samples[name as keyof typeof messages] as readonly (readonly unknown[])[];
    return [name, calls.map((args) => (message as (...all: readonly unknown[]) => string)(...args))];
  });
  expect(Object.fromEntries(texts)).toMatchSnapshot();
});
