import { expect, test } from 'vitest';
import { describeValue, expectations, messages } from '../src/messages.ts';

/** Arguments for every message. */
const samples: { readonly [Name in keyof typeof messages]: readonly Parameters<(typeof messages)[Name]>[] } =
  {
    commonInstructions: [[]],
    stepInstructions: [[]],
    sessionInstructions: [[]],
    lookupBesideSessions: [[]],
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
    notARequest: [[]],
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
    outputMissing: [['step_manifest.0']],
    oneAnswer: [[0], [2]],
    noteWithoutAnswer: [[]],
    yielded: [[true], [false]],
    howToAnswer: [['person'], ['user'], ['agent']],
    taken: [[]],
    resumed: [[]],
    resumedWithNotes: [[]],
    markedText: [[]],
    remedy: [
      ['start'],
      ['status'],
      ['read-workflow'],
      ['move'],
      ['read-activity'],
      ['yield'],
      ['resume'],
      ['present'],
      ['answer'],
      ['read-skills'],
      ['read-skill'],
      ['read-resource'],
      ['resolve-operations'],
      ['read-trace'],
    ],
    askWith: [['yield_checkpoint {"checkpoint_id":"review"}']],
    dismissWith: [['respond_checkpoint {"condition_not_met":true}']],
    noteWith: [['respond_checkpoint {"option_id":"no","note":"<note>"}']],
    ownNoteWith: [['respond_checkpoint {"option_id":"no","note":"<note>"}']],
    tellUser: [['resume_checkpoint {"wait_ms":50000}']],
    askUser: [[['yes', 'no'], 'respond_checkpoint {"option_id":"<option_id>"}']],
    askUserOrWait: [
      [
        ['yes', 'no'],
        'respond_checkpoint {"option_id":"<option_id>"}',
        'resume_checkpoint {"wait_ms":50000}',
      ],
    ],
    choose: [[['yes', 'no'], 'respond_checkpoint {"option_id":"<option_id>"}']],
    untrusted: [
      [1, 'workflowlookup trust'],
      [3, 'workflowlookup trust'],
    ],
    callCancelled: [[]],
    internalError: [[]],
    valueInCall: [['files']],
    eachManifestStep: [[]],
    credentialsRejected: [[401]],
  };

test('messages of the MCP server', () => {
  const texts = Object.entries(messages).map(([name, message]) => {
    const calls = samples[name as keyof typeof messages] as readonly (readonly unknown[])[];
    return [name, calls.map((args) => (message as (...all: readonly unknown[]) => string)(...args))];
  });
  expect(Object.fromEntries(texts)).toMatchSnapshot();
});

test('what arguments must be', () => {
  const params = { type: 'integer', allowedValues: ['user', 'agent'], limit: 3 };
  const texts = Object.entries(expectations).map(([keyword, expectation]) => [keyword, expectation(params)]);
  const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
  const typeTexts = types.map((type) => expectations['type']?.({ type }));
  expect({ ...Object.fromEntries(texts), type: typeTexts }).toMatchSnapshot();
});

test('what was found instead', () => {
  const values = [{}, [], [1], null, undefined, false, 1.5, '', 'x'.repeat(64), 'x'.repeat(65)];
  expect(values.map(describeValue)).toMatchSnapshot();
});
