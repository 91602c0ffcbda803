import { environmentUsage, sessionsUsage, sourcesUsage } from '@workflowlookup/host/flags';

/** Every message of this app that a user reads. */
export const messages = {
  /** The text that `--help` prints. */
  usage: () => `Usage: workflowlookup-stdio [options]

Serves workflows to one agent over standard input and output (MCP and plain JSON-RPC).

Options:
${sourcesUsage}  --tools SET       extended (default), all (those of the specification), lookup (no sessions) or sessions
  -h, --help        print this
  -v, --version     print the version

Sessions:
${sessionsUsage}
Environment:
${environmentUsage}
Example:
  workflowlookup-stdio --workflows ./team-workflows
`,
  refused: (reason: string) => `workflowlookup-stdio: ${reason}\n`,
  wrongOptions: (reason: string) => `${reason}\nTo see all options, run: workflowlookup-stdio --help`,
  startedByHand: () =>
    'This server reads JSON-RPC messages from standard input. To use it, add workflowlookup-stdio to the configuration of an MCP client.',
} as const;
