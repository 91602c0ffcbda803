import type { Question } from '../../src/tool-support/tool.ts';
import { testTool } from './test-tool.ts';

/** What the tool below puts to the person. */
export const question: Question = {
  message: 'Merge it?',
  options: [
    { id: 'merge', label: 'Merge', description: 'into main' },
    { id: 'wait', label: 'Wait' },
  ],
};

/** Answers what a person chose, or why nobody was asked. */
export const askTool = testTool('ask_me', async ({ elicit }) => ({
  text: elicit === undefined ? 'nobody to ask' : `chosen: ${(await elicit(question)) ?? 'nothing'}`,
}));
