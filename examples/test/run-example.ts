import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { newerNode } from '../../scripts/support/newer-node.mjs';

/** The folder of the examples, which is also their working folder. */
export const folder = fileURLToPath(new URL('..', import.meta.url));

/** The exit code and the output of a program. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The input of a program. By default, it has no arguments and an empty standard input. */
export interface Given {
  readonly args?: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs an example like its readers do, but with the sources of our packages. Node runs TypeScript directly. */
export function runExample(file: string, { args = [], ...given }: Given = {}): Promise<Ran> {
  const flags = ['--conditions=@workflowlookup/source', '--disable-warning=ExperimentalWarning'];
  return run(newerNode(), { ...given, args: [...flags, file, ...args] });
}

/** Runs a program. Of the environment of this process, it gets only PATH. */
export async function run(
  program: string,
  { args = [], input = '', env = {}, cwd = folder }: Given,
): Promise<Ran> {
  const child = spawn(program, args, { cwd, env: { PATH: process.env['PATH'], ...env } });
  child.stdin.end(input);
  const [[code], out, err] = await Promise.all([
    once(child, 'close') as Promise<[number]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, err };
}
