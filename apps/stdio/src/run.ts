import type { Host } from '@workflowlookup/host';
import type { Environment } from '@workflowlookup/host/flags';
import { directoryProblem } from '@workflowlookup/host/flags';
import type { StdioService } from '@workflowlookup/mcp';
import { createLog, describeError, serveStdio, toolSet } from '@workflowlookup/mcp';
import manifest from '../package.json' with { type: 'json' };
import { createLateHost } from './late-host.ts';
import type { Request } from './options.ts';
import { readOptions, usage } from './options.ts';

/** How long a signal lets what is under way go on; a signal ends the process within two seconds. */
const signalGraceMs = 1200;

/** How long the end waits for what is left to write. */
const closeGraceMs = 500;

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
      return refuse(`${request.reason}\nRun it with --help to see what it takes.`);
    case 'serve': {
      const wrong = directoryProblem(request.host);
      return wrong === undefined ? serve(request) : refuse(`${wrong}.`);
    }
  }
}

function refuse(reason: string): void {
  process.stderr.write(`workflowlookup-stdio: ${reason}\n`);
  process.exitCode = 2;
}

async function serve({ host: options, tools }: Extract<Request, { kind: 'serve' }>): Promise<void> {
  // Whatever a dependency prints must not get between the messages.
  const { error } = globalThis.console;
  Object.assign(globalThis.console, { log: error, info: error, debug: error });
  const log = createLog((line) => void process.stderr.write(line));
  if (process.stdin.isTTY)
    log('info', 'waiting', {
      hint: 'This server speaks JSON-RPC on its input: start it from an MCP client.',
    });
  const host = createLateHost(options);
  const service = serveStdio({
    services: async () => {
      const opened = await host.open();
      const failed = (failure: unknown): void => log('error', 'failure', describeError(failure));
      void tellUntrusted(opened, log).catch(failed);
      return opened;
    },
    tools: toolSet(tools),
    version: manifest.version,
    input: process.stdin,
    output: process.stdout,
    log,
  });
  exitOnSignals(service);
  exitOnFailure(log);
  await service.ended;
  await host.close(closeGraceMs).catch((failure: unknown) => log('error', 'close', describeError(failure)));
  process.exit();
}

/** Logs once which definitions are not served, so that a person who reads the log can trust them. */
async function tellUntrusted({ definitions }: Host, log: ReturnType<typeof createLog>): Promise<void> {
  const untrusted = await definitions.untrusted();
  if (untrusted.length === 0) return;
  log('info', 'untrusted', { definitions: untrusted.length, trustWith: untrusted[0]?.trustWith });
}

function exitOnSignals(service: StdioService): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void service.stop(signalGraceMs));
}

/** A failure nobody expected: one error line for the client, the reason for the log, and the end. */
function exitOnFailure(log: ReturnType<typeof createLog>): void {
  const fail = (error: unknown): void => {
    log('error', 'fatal', describeError(error));
    process.stdout.write(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}\n',
      () => process.exit(1),
    );
  };
  process.once('uncaughtException', fail);
  process.once('unhandledRejection', fail);
}
