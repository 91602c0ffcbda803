import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { storyText } from './story-text.ts';
import { sessionOf } from './session-of.ts';
import type { CommandContext } from './with-operator.ts';

/** Tells what became of a session. */
export async function show(context: CommandContext, session: string): Promise<ExitCode> {
  const story = await context.operator.story(await sessionOf(context, session));
  await context.answer(story, () => storyText(story, context.terminal));
  return story.chain.ok ? exitCodes.ok : exitCodes.findings;
}
