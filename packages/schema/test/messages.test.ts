import { expect, test } from 'vitest';
import { evidenceTexts } from '../src/messages/evidence.ts';
import { fileMessages } from '../src/messages/files.ts';
import { jsonMistakes } from '../src/messages/syntax.ts';
import * as syntax from '../src/messages/syntax.ts';
import { messages } from '../src/messages/workflow.ts';

// The text of every message, so that a change of one is noticed. Other tests assert codes and positions.

const inWords = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'message' in message && 'suggestion' in message
    ? `${String(message.message)}. ${String(message.suggestion)}`
    : message;

/** Returns every message of a module. `samples` has the arguments of its functions. */
function catalogue(module: object, samples: Readonly<Record<string, readonly unknown[]>>): object {
  return Object.fromEntries(
    Object.entries(module).map(([name, message]: [string, unknown]) => {
      if (typeof message !== 'function') return [name, inWords(message)];
      const sample = samples[name];
      if (sample === undefined) throw new Error(`No sample for ${name}`);
      return [name, inWords(Reflect.apply(message, undefined, [...sample]))];
    }),
  );
}

test('messages about the content of a workflow', () => {
  const decision = { variable: 'ready', option: 'no', checkpoint: 'review', activity: 'merge' };
  const samples = {
    duplicateId: ['step', 'plan', '/steps/0'],
    evidenceKindMissing: ['tests', ['check', 'git']],
    notFromGitHub: ['tests', ['tests', 'min']],
    githubWithoutCi: ['tests'],
    filledTooLate: ['scope', 'paths', 'look'],
    lastItemOnly: ['written', 'page', 'each-page'],
    ciOnlyForChecks: ['plan'],
    onlyForChecks: ['plan', 'min'],
    duplicateStepId: ['plan', '/steps/0'],
    duplicateEntry: ['name', 'ready', '/variables/0'],
    stepIdInTwoLists: ['plan', undefined, 'again'],
    unknownCheckpoint: [{ step: 'plan', checkpoint: 'review', activity: 'merge' }, undefined],
    unfitDefault: ['review', 'change', 'note'],
    unknownOption: ['review', 'maybe', undefined],
    unknownActivity: [{ by: messages.transitionLeadsTo, id: 'merge', mayEnd: true }, undefined],
    noActivity: [],
    onlyBrokenActivities: [],
    unreachableActivity: ['merge', 'start'],
    inBorrowedActivity: ['merge', "Missing required property 'version'"],
    unknownBody: ['again', 'plan', undefined],
    bodyLeadsBack: ['again', ['inner', 'again']],
    tooManyNamedBodies: ['again'],
    modeSkips: ['fast'],
    decisionLeadsTo: ['size'],
    loopRepeats: ['again'],
    answerLeadsTo: ['review'],
    answerSkips: ['review'],
    hiddenVariable: ['ready'],
    hiddenLoopName: ['item', 'outer'],
    hiddenField: ['itemVar'],
    textOfActivity: ['merge'],
    hidingLoopName: ['item', 'ready', 'again', messages.hiddenVariable('ready')],
    unknownReference: ['skill', 'review', undefined],
    undeclaredVariable: ['ready', undefined],
    unknownVariable: ['ready', "'prompt' of step 'plan'", undefined],
    variableDeclaredTwice: ['ready'],
    unusedVariable: ['ready', false],
    unsetVariable: ['ready', "'prompt' of step 'plan'"],
    unknownSetter: ['ready', 'merge', undefined],
    ambiguousSetter: ['ready', 'merge'],
    unknownStepSetter: ['ready', 'merge', undefined],
    agentDecidesCheckpoint: ['ready', 'review', 'merge'],
    changeableValue: ['commit', { checkpoint: 'ok', activity: 'review', setter: 'repair' }],
    hidingPath: ['target.env', 'target', 'ok'],
    agentDecidesConfirmation: ['ready', 'merge'],
    setAfterAnswer: ['decision', 'record', 'review', 'merge'],
    stepBehindQuestion: ['tag', 'publish', 'release'],
    undecidedOption: [decision, undefined],
    neverReversed: ['review', 'no default'],
    setsWhenMissing: ['plan'],
    missingVersion: [],
    tooExpensive: [],
    moreProblems: [],
    longPrompt: [2001, "'prompt' of step 'plan'"],
    unknownField: ['plan', 'risk', ['goal', 'risks'], undefined],
    fieldsMissing: ['plan'],
    unusableProperty: ['min_length', 'risks', 'list', ['text']],
    noOptions: ['risk'],
    impossibleBounds: ['goal', 'min_length 9', 'max_length 3'],
    fieldOfOtherType: ['ready', 'boolean', 'goal', 'string'],
    setByOthers: ['ready', 'plan', ['review', 'checkpoint']],
  };
  expect(catalogue(messages, samples)).toMatchSnapshot('texts');
  expect([
    inWords(messages.unknownActivity({ by: messages.startsWith, id: 'merge', mayEnd: false }, undefined)),
    inWords(messages.unfitDefault('review', 'publish', 'irreversible')),
    inWords(messages.unknownField('plan', 'risk', [], undefined)),
    inWords(messages.unknownSetter('ready', 'merge', 'merged')),
    inWords(messages.unusedVariable('ready', true)),
    inWords(messages.unknownReference('resource', 'map', 'atlas')),
    inWords(messages.undecidedOption(decision, 'draft')),
    inWords(messages.neverReversed('review', 'needs a person')),
    inWords(messages.neverReversed('plan', 'not asked')),
  ]).toMatchSnapshot('variants');
});

test('messages about the files of a workflow', () => {
  const samples = {
    noWorkflowFile: [],
    jsonSchemaFile: [],
    tooDeep: [],
    numberOutOfRange: [],
    secondWorkflowFile: ['workflow.yaml'],
    folderNamedOtherwise: ['review', 'rewiev'],
    fileNamedOtherwise: ['plan', 'plans'],
    badFileName: ['activities/01-plan b.yaml'],
    sameFileName: ['activities/01-plan.yml', 'activities/01-plan.yaml'],
    fileWithoutNumber: ['activities/', 'plan.yaml'],
    activityListedTwice: ['01-plan'],
    malformedEntry: ['a/b/c'],
    missingActivityFile: ['01-plan', '01-plan'],
    borrowedWorkflowMissing: ['review/01-plan', 'review'],
    borrowedFileMissing: ['review/01-plan', 'review'],
    borrowedFileBroken: ['review/01-plan', "Missing required property 'version'"],
    tooLarge: ['text'],
    tooManyValues: ['values'],
    duplicateKey: ['name', 3],
    hiddenCharacter: ['U+200B (zero-width character)'],
  };
  expect(catalogue(fileMessages, samples)).toMatchSnapshot('texts');
});

test('messages about syntax', () => {
  expect(jsonMistakes).toMatchSnapshot('JSON');
  const { explainToon, mistakeInCell, mistakeInKey, mistakeInNumber, mistakeInText, syntaxError } = syntax;
  const samples = {
    syntax: [],
    noDocument: [],
    severalDocuments: [],
    mergeKey: [],
    complexKey: [],
    unknownTag: ['!date'],
    unknownAlias: ['base'],
    keyNotText: ['1'],
  };
  expect(catalogue(syntax.yamlMessages, samples)).toMatchSnapshot('YAML');
  const at = { position: 'line 1, column 2', suggestion: 'Remove the trailing comma' };
  expect(inWords(syntaxError('JSON', 'a trailing comma', at))).toMatchSnapshot('JSON in words');
  const plain = ['|', '[a, b]', '{a: 1}', '- a', "'a'", '~', '&a b', 'a # b'];
  expect(
    [
      ...plain.map((text) => mistakeInText({ text, key: 'tea', line: `tea: ${text}` })),
      mistakeInCell({ text: '[a', line: 'tea[2]: [a,b]' }),
      mistakeInNumber(2 ** 60),
      mistakeInKey('-', '- tea: 1'),
      explainToon('Tabs are not allowed', '\ttea: 1'),
      explainToon('Something else', 'tea'),
    ].map(inWords),
  ).toMatchSnapshot('TOON');
});

test('messages about evidence', () => {
  const { tests, ...texts } = evidenceTexts;
  const counts = { run: 57, failed: 3, skipped: 1 };
  expect({ ...texts, tests: [tests(counts), tests(counts, 58)] }).toMatchSnapshot();
});
