import type { NotatedText } from './parse-text.ts';
import { parseText, withoutMark } from './parse-text.ts';
import type { Position } from './text-position.ts';
import { positionsIn } from './text-position.ts';

/** Where a JSON pointer leads in a text; what is not there goes by the nearest above it, in a text that can't be read by what is wrong with it. */
export async function findPosition(source: NotatedText, pointer: string): Promise<Position> {
  return (await createPositions(source))(pointer);
}

/** {@link findPosition} of many pointers into one text, which is read once. */
export async function createPositions(source: NotatedText): Promise<(pointer: string) => Position> {
  const text = withoutMark(source.text);
  const { locator } = await parseText({ ...source, text });
  const locate = await locator();
  const positionOf = positionsIn(text);
  return (pointer) => positionOf(locate(pointer, false).start);
}
