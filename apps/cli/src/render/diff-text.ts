import { plainLines } from '../plain-text.ts';
import type { Emphasis, Terminal } from '../terminal.ts';

const emphases: readonly (readonly [start: string, emphasis: Emphasis])[] = [
  ['+++', 'bold'],
  ['---', 'bold'],
  ['+', 'green'],
  ['-', 'red'],
  ['@@', 'dim'],
];

/** A unified diff for people, without the line of signs above it. */
export function diffText(diff: string, { paint }: Pick<Terminal, 'paint'>): string {
  return plainLines(diff.replace(/^=+\n/, '').trimEnd())
    .split('\n')
    .map((line) => {
      const [, emphasis] = emphases.find(([start]) => line.startsWith(start)) ?? [];
      return emphasis === undefined ? line : paint(emphasis, line);
    })
    .join('\n');
}
