import type { Host, HostOptions } from '@workflowlookup/host';
import type { Environment } from '@workflowlookup/host/flags';
import {
  placeProblem,
  hostFlags,
  parseCommandLine,
  readHostFlags,
  wrongWord,
} from '@workflowlookup/host/flags';
import { recordAnsweredCall } from '@workflowlookup/host/hook-acts';
import type { StdioService, ToolSetName } from '@workflowlookup/mcp';
import { createLog, describeError, serveStdio, toolSet, toolSetNames } from '@workflowlookup/mcp';
import manifest from '../package.json' with { type: 'json' };
import { messages } from './messages.ts';

/** How long requests in progress may continue after a signal. A signal ends the process within two seconds. */
const signalGraceMs = 1200;

/** How long the end of the process waits for the host to close. */
const closeGraceMs = 500;

/** Runs the command line. When it resolves, the process is about to exit. */
export async function run({ args, env }: { args: readonly string[]; env: Environment }): Promise<void> {
  const request = readOptions(args, env);
  switch (request.kind) {
    case 'help':
      process.stdout.write(messages.usage());
      return;
    case 'version':
      process.stdout.write(`${manifest.version}\n`);
      return;
    case 'refused':
      return refuse(messages.wrongOptions(request.reason));
    case 'serve': {
      const wrong = placeProblem(request.host);
      return wrong === undefined ? serve(request) : refuse(`${wrong}.`);
    }
  }
}

function refuse(reason: string): void {
  process.stderr.write(messages.refused(reason));
  process.exitCode = 2;
}

async function serve({ host: options, tools }: Extract<Request, { kind: 'serve' }>): Promise<void> {
  // Standard output carries the protocol, so anything a dependency prints goes to standard error.
  const { error } = globalThis.console;
  Object.assign(globalThis.console, { log: error, info: error, debug: error });
  const log = createLog((line) => void process.stderr.write(line));
  if (process.stdin.isTTY) log('info', 'waiting', { hint: messages.startedByHand() });
  let opening: Promise<Host> | undefined;
  let stateDirectory: string | undefined;
  const service = serveStdio({
    // The host is loaded when the first request needs it.
    services: async () => {
      opening ??= import('@workflowlookup/host').then(({ createHost }) => createHost(options));
      const opened = await opening;
      if (options.database === undefined) stateDirectory = opened.state.directory;
      const failed = (failure: unknown): void => log('error', 'failure', describeError(failure));
      void tellUntrusted(opened, log).catch(failed);
      return opened;
    },
    tools: toolSet(tools),
    onIdentifiedCall: ({ toolUseId, tool, sessionToken }) => {
      if (stateDirectory === undefined) return;
      try {
        recordAnsweredCall(stateDirectory, { id: toolUseId, tool, token: sessionToken });
      } catch (failure) {
        // Hooks read the result of the call then.
        log('warn', 'hooks', describeError(failure));
      }
    },
    version: manifest.version,
    input: process.stdin,
    output: process.stdout,
    log,
  });
  exitOnSignals(service);
  exitOnFailure(log);
  await service.ended;
  const closed = opening?.then((host) => host.close());
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeGraceMs).unref())]).catch(
    (failure: unknown) => log('error', 'close', describeError(failure)),
  );
  process.exit();
}

function exitOnSignals(service: StdioService): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void service.stop(signalGraceMs));
}

/** On an unexpected error, sends the client one error, logs the reason and exits. */
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

/** Logs once how many definitions are not served because nobody has trusted them, and the command that trusts them. */
async function tellUntrusted({ definitions }: Host, log: ReturnType<typeof createLog>): Promise<void> {
  const untrusted = await definitions.untrusted();
  if (untrusted.length === 0) return;
  log('info', 'untrusted', { definitions: untrusted.length, trustWith: untrusted[0]?.trustWith });
}

type Request =
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
    host: { evidence: true, ...host },
    tools: (parsed.tools as ToolSetName | undefined) ?? 'extended',
  };
}

function refused(reason: string): Request {
  return { kind: 'refused', reason };
}
