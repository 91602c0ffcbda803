import type { Issue } from './issue.ts';
import type { NotatedText } from './parse-text.ts';
import { parseText, withoutMark } from './parse-text.ts';
import { positionsIn } from './text-position.ts';

/** Where a JSON pointer leads in a text; what is not there goes by the nearest above it, in a text that can't be read the start. */
export async function findPosition(
  source: NotatedText,
  pointer: string,
): Promise<Pick<Issue, 'column' | 'line'>> {
  const text = withoutMark(source.text);
  const { locator } = await parseText({ ...source, text });
  return positionsIn(text)((await locator())(pointer, false).start);
}
