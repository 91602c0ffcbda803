import { expect, test } from 'vitest';
import { messageTexts } from '../../../test/support/message-texts.ts';
import { failures, findings, labels, reasons, stops } from '../src/messages.ts';

const branch = {
  kind: 'condition',
  site: 'split',
  text: 'size == "large"',
  pointer: '/steps/1/runCondition',
} as const;

test('messages about explorations, dry runs and tests', () => {
  const texts = messageTexts(
    { labels, findings, stops, reasons, failures },
    {
      labels: {
        part: [['step', 'plan']],
        stepOf: [['read', 'review']],
        answer: [['yes', 'go']],
      },
      findings: {
        neverHolds: [
          [{ ...branch, names: ['size', 'files'], decides: 'site' }, "step 'split'", 0],
          [{ ...branch, names: [], decides: 'loop' }, "loop 'each'", 1],
          [{ ...branch, names: ['size'], decides: 'end' }, "loop 'each'", 2],
          [{ ...branch, names: ['size'], decides: 'other' }, "step 'split'", 0],
        ],
        alwaysHolds: [
          [{ ...branch, names: ['size'], decides: 'site' }, "step 'split'", 0],
          [{ ...branch, names: ['size'], decides: 'site' }, "step 'split'", 2],
        ],
        unreachable: [["activity 'review'"]],
        endlessLoop: [['each']],
        stuck: [['the start', "Loop 'each' needs 'files' in the context to be an array; found nothing."]],
        endless: [["activity 'work'", ['work', 'check']]],
        impassable: [['go', "activity 'plan'"]],
        missingTransition: [
          [
            'plan',
            [
              ['risk', 'high'],
              ['size', undefined],
            ],
          ],
        ],
        unsetVariable: [['ticket', "step 'show'"]],
      },
      stops: {
        tooManyStates: [[50_000]],
        noFittingText: [['code']],
        tooManyTurns: [[500]],
        tooManyAnswers: [[50, 'split']],
        unsetVariables: [[['size', 'risk']]],
        tooManySteps: [[2000]],
        unanswered: [['confirm', 'split']],
        outputRefused: [['each@0::write', ['At least 10 characters', 'No tabs']]],
        noOutput: [
          ['write', 'criteria'],
          ['write', 'fields'],
        ],
      },
      reasons: {
        conditionFalse: [['size == "large"']],
        nextStep: [
          [undefined, undefined],
          ['size == "large"', { id: 'each', iteration: 1 }],
        ],
        transition: [
          [{ when: 'default' }, 'chosen'],
          [{ when: 'size == "large"', by: "decision 'how'" }, 'skipped'],
          [{ when: 'default' }, 'not-reached'],
          [{ when: 'files left', by: "loop 'each'", limit: 2 }, 'skipped'],
        ],
      },
      failures: {
        notCompleted: [[], ['It takes more than 2000 steps.']],
        otherPath: [
          [2, 'write', 'split'],
          [5, 'rest', undefined],
        ],
        notReached: [['rest']],
        reached: [['split']],
        notRefused: [
          ['write', undefined],
          ['write', 'read'],
        ],
        otherRefusal: [['write', ['At least 10 characters'], 'JSON']],
        refused: [['write', ['At least 10 characters', 'No tabs']]],
        otherValue: [
          ['size', 'large', 'small'],
          ['depth', null, 1],
        ],
        noWarning: [['drift']],
        unexpectedWarning: [["Loop 'each' ended at its maximum."]],
        unknownName: [
          ['wriet', 'outputs', 'step', 'write'],
          ['go', 'answers', 'checkpoint', undefined],
        ],
      },
    },
  );
  expect(texts).toMatchSnapshot();
});
