import type { Question } from '../../src/tool-support/tool.ts';
import { testTool } from './test-tool.ts';

/** The question that {@link askTool} asks. */
export const question: Question = {
  message: 'Merge it?',
  options: [
    { id: 'merge', label: 'Merge', description: 'into main' },
    { id: 'wait', label: 'Wait' },
  ],
};

/** A tool that asks a person, and answers with their choice or that nobody could be asked. */
export const askTool = testTool('ask_me', async ({ elicit }) => ({
  text: elicit === undefined ? 'nobody to ask' : `chosen: ${(await elicit(question)) ?? 'nothing'}`,
}));
