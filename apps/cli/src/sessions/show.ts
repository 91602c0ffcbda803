import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { storyText } from './story-text.ts';
import { waitingQuestion } from './respond.ts';
import { sessionOf } from './session-of.ts';
import type { CommandContext } from './with-operator.ts';

/** Tells what became of a session. */
export async function show(context: CommandContext, session: string): Promise<ExitCode> {
  const { operator, terminal } = context;
  const sid = await sessionOf(context, session);
  const [story, { outputs }] = await Promise.all([operator.story(sid), operator.contents(sid)]);
  const question = story.session.status === 'blocked' ? await waitingQuestion(operator, sid) : undefined;
  await context.answer({ ...story, outputs, ...(question && { question }) }, () =>
    storyText(story, { outputs, question }, terminal),
  );
  return story.chain.ok ? exitCodes.ok : exitCodes.findings;
}
