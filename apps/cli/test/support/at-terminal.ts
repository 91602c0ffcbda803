import { spawnSync } from 'node:child_process';
import type { CliProcess } from './cli-process.ts';

/**
 * Whether `script` of util-linux is installed, which runs a program in a terminal. `script` of macOS has other flags.
 */
export const canOpenTerminal = String(spawnSync('script', ['--version']).stdout).includes('util-linux');

/** The characters that these keys send. */
export const keys = { enter: '\r', down: '\u001B[B', interrupt: '\u0003' } as const;

/** A text to wait for, and the text to type then. */
type Turn = readonly [expected: string, typed: string];

/** Waits for each expected text after the one before it, then types the answer. The program needs `NO_COLOR`. */
export async function typeAt({ child, out, ended }: CliProcess, turns: readonly Turn[]): Promise<void> {
  let from = 0;
  for (const [expected, typed] of turns) {
    from = await shown(expected, from);
    child.stdin?.write(typed);
  }

  function shown(expected: string, after: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = out().indexOf(expected, after);
        if (found < 0) return;
        child.stdout?.off('data', look);
        resolve(found + expected.length);
      };
      child.stdout?.on('data', look);
      void ended.then(() => reject(new Error(`'${expected}' was not shown after: ${out().slice(after)}`)));
      look();
    });
  }
}
