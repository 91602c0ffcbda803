import type { ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** The environment as a process has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What every command is given. */
export interface CommandLine {
  readonly terminal: Terminal;
  readonly env: Environment;
  /** Of the program. */
  readonly version: string;
  /** Takes how the command ended. */
  exit(code: ExitCode): void;
}
