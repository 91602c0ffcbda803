import type { StdioService } from '@workflowlookup/mcp';
import { createLog, serveStdio } from '@workflowlookup/mcp';
import manifest from '../package.json' with { type: 'json' };
import type { Environment } from './options.ts';
import { readOptions, usage } from './options.ts';

/** How long a signal lets what is under way go on. */
const signalGraceMs = 1500;

/** Does what the command line asks for; resolves when there is nothing left to do, with the process on its way out. */
export async function run({ args, env }: { args: readonly string[]; env: Environment }): Promise<void> {
  const request = readOptions(args, env);
  switch (request.kind) {
    case 'help':
      process.stdout.write(usage);
      return;
    case 'version':
      process.stdout.write(`${manifest.version}\n`);
      return;
    case 'refused':
      process.stderr.write(
        `workflowlookup-stdio: ${request.reason}\nRun it with --help to see what it takes.\n`,
      );
      process.exitCode = 2;
      return;
    case 'serve':
      return serve(request.sources);
  }
}

async function serve(
  sources: Extract<ReturnType<typeof readOptions>, { kind: 'serve' }>['sources'],
): Promise<void> {
  // Whatever a dependency prints must not get between the messages.
  const { error } = globalThis.console;
  Object.assign(globalThis.console, { log: error, info: error, debug: error });
  const log = createLog((line) => void process.stderr.write(line));
  if (process.stdin.isTTY)
    log('info', 'waiting', {
      hint: 'This server speaks JSON-RPC on its input: start it from an MCP client.',
    });
  const service = serveStdio({
    engine: async () => {
      const { createHost } = await import('@workflowlookup/host');
      return createHost(sources).engine;
    },
    version: manifest.version,
    input: process.stdin,
    output: process.stdout,
    log,
  });
  exitOnSignals(service);
  exitOnFailure(log);
  await service.ended;
  process.exit();
}

function exitOnSignals(service: StdioService): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void service.stop(signalGraceMs));
}

/** A failure nobody expected: one error line for the client, the reason for the log, and the end. */
function exitOnFailure(log: ReturnType<typeof createLog>): void {
  const fail = (error: unknown): void => {
    log(
      'error',
      'fatal',
      error instanceof Error ? { kind: error.name, message: error.message, stack: error.stack } : {},
    );
    process.stdout.write(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}\n',
      () => process.exit(1),
    );
  };
  process.once('uncaughtException', fail);
  process.once('unhandledRejection', fail);
}
