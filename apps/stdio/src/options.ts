import type { HostOptions } from '@workflowlookup/host';
import type { Environment } from '@workflowlookup/host/flags';
import { hostFlags, parseCommandLine, readHostFlags, wrongWord } from '@workflowlookup/host/flags';
import type { ToolSetName } from '@workflowlookup/mcp';
import { toolSetNames } from '@workflowlookup/mcp';

export type Request =
  | { readonly kind: 'serve'; readonly host: HostOptions; readonly tools: ToolSetName }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  /** An invalid command line; `reason` says why in one line. */
  | { readonly kind: 'refused'; readonly reason: string };

const flags = {
  ...hostFlags,
  tools: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Reads the command line and the environment. Unknown options and values are refused, never ignored. */
export function readOptions(args: readonly string[], env: Environment): Request {
  const line = parseCommandLine({ args: [...args], options: flags, strict: true });
  if (typeof line === 'string') return refused(line);
  const parsed = line.values;
  if (parsed.help === true) return { kind: 'help' };
  if (parsed.version === true) return { kind: 'version' };
  const wrong = wrongWord('tools', parsed.tools, toolSetNames);
  if (wrong !== undefined) return refused(wrong);
  const host = readHostFlags(parsed, env);
  if (typeof host === 'string') return refused(host);
  return {
    kind: 'serve',
    host: { ...host, evidence: true },
    tools: (parsed.tools as ToolSetName | undefined) ?? 'extended',
  };
}

function refused(reason: string): Request {
  return { kind: 'refused', reason };
}
