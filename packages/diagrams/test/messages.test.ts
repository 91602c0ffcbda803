import { expect, test } from 'vitest';
import { messageTexts } from '../../../test/support/message-texts.ts';
import { labels, outlineTexts } from '../src/messages.ts';

const loop = { id: 'each', name: 'Each', maxIterations: 9 } as const;

test('messages about outlines and diagrams', () => {
  const texts = messageTexts(
    { outlineTexts, labels },
    {
      outlineTexts: {
        field: [
          [{}],
          [{ min_length: 40 }],
          [{ min_length: 2, max_length: 9 }],
          [{ type: 'number', min: 0 }],
          [{ type: 'boolean' }],
          [{ type: 'choice', options: ['low', 'high'] }],
          [{ type: 'list' }],
          [{ type: 'list', min_items: 1 }],
          [{ type: 'list', items: 'number', min_items: 2 }],
          [{ type: 'list', items: 'boolean' }],
          [{ type: 'list', options: ['a', 'b'] }],
          [{ type: 'list', items: { file: 'text', line: 'number' } }],
          [{ type: 'object', properties: { file: 'text' } }],
        ],
        stepIterations: [
          [{ type: 'for', count: 2, maxIterations: 1 }],
          [{ type: 'forEach', items: 'files', maxIterations: 9 }],
          [{ type: 'forEach', items: 'files', itemVar: 'file', maxIterations: 9 }],
          [{ type: 'while', maxIterations: 9 }],
          [{ type: 'until', condition: 'isDone == true', maxIterations: 9 }],
        ],
        activityIterations: [
          [{ ...loop, type: 'forEach', variable: 'file', over: 'files' }],
          [{ ...loop, type: 'while', condition: 'isDone != true' }],
          [{ ...loop, type: 'doWhile', condition: 'isDone != true', breakCondition: 'stopped == true' }],
        ],
        conditions: [[['size == "large"', 'isDone != true']]],
      },
      labels: {
        confirm: [['Write']],
        loop: [['each']],
        conditionFalse: [['size == "large"']],
      },
    },
  );
  expect(texts).toMatchSnapshot();
});
