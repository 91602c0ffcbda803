import type { HostOptions } from '@workflowlookup/host';
import type { ToolSetName } from '@workflowlookup/mcp';
import { toolSetNames } from '@workflowlookup/mcp';

/** The environment as a process has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Flags of sessions and their tools. */
export const sessionFlags = {
  tools: { type: 'string' },
  state: { type: 'string' },
  tokens: { type: 'string' },
  enforcement: { type: 'string' },
  gates: { type: 'string' },
  'min-response-seconds': { type: 'string' },
  'trust-elicitation': { type: 'boolean' },
} as const;

/** What the flags of sessions say. */
export type SessionFlags = {
  readonly [Name in keyof typeof sessionFlags]?: (typeof sessionFlags)[Name]['type'] extends 'boolean'
    ? boolean
    : string;
};

/** What the flags of sessions ask for. */
interface SessionRequest {
  readonly host: HostOptions;
  readonly tools: ToolSetName;
}

const words = {
  tools: toolSetNames,
  tokens: ['reference', 'self-contained'],
  enforcement: ['advisory', 'strict'],
  gates: ['declared', 'human'],
} as const;

/** The words of a flag that takes one of several. */
type Word<Flag extends keyof typeof words> = (typeof words)[Flag][number];

/** Reads the flags of sessions; a text says what is wrong with one. */
export function readSessionOptions(flags: SessionFlags, env: Environment): SessionRequest | string {
  const wrong = (Object.keys(words) as (keyof typeof words)[]).find((flag) => !isWord(flag, flags[flag]));
  if (wrong !== undefined) return `--${wrong} must be ${oneOf(words[wrong])}, found '${flags[wrong]}'`;
  const seconds = flags['min-response-seconds'];
  if (seconds !== undefined && !/^\d{1,6}(\.\d+)?$/.test(seconds))
    return `--min-response-seconds must be a number of seconds, such as 3 or 0.5, found '${seconds}'`;
  const state = flags.state ?? env['WORKFLOWLOOKUP_STATE'];
  return {
    tools: (flags.tools as Word<'tools'> | undefined) ?? 'all',
    host: {
      ...(state !== undefined && state !== '' && { stateDirectory: state }),
      ...(flags.tokens !== undefined && { tokens: flags.tokens as Word<'tokens'> }),
      ...(flags.enforcement !== undefined && { enforcement: flags.enforcement as Word<'enforcement'> }),
      ...(flags.gates !== undefined && { gates: flags.gates as Word<'gates'> }),
      ...(seconds !== undefined && { minResponseMs: Math.round(Number(seconds) * 1000) }),
      trustElicitation: flags['trust-elicitation'] === true,
      environment: env,
    },
  };
}

function isWord(flag: keyof typeof words, found: string | undefined): boolean {
  return found === undefined || (words[flag] as readonly string[]).includes(found);
}

function oneOf(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}
