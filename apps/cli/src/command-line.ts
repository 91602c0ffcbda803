import type { Terminal } from './terminal/terminal.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandLine {
  readonly terminal: Terminal;
  readonly env: Environment;
  readonly version: string;
  exit(code: ExitCode): void;
}

/**
 * Exit codes: success, a problem was found, the command could not do its work, or it lacked the keys to check
 * everything.
 */
export const exitCodes = { ok: 0, findings: 1, usage: 2, unchecked: 3 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Returns whether a text is an HTTP address without credentials. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}
