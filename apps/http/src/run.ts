import manifest from '../package.json' with { type: 'json' };
import type { Environment } from '@workflowlookup/host/flags';
import { placeProblem } from '@workflowlookup/host/flags';
import type { Log } from '@workflowlookup/mcp';
import { createBufferedLog, describeError } from '@workflowlookup/mcp';
import type { Listening } from './app.ts';
import type { ServeRequest } from './options.ts';
import { readOptions, usage } from './options.ts';
import type { Telemetry } from './telemetry/open-telemetry.ts';
import { optionMessages } from './messages.ts';

/** Runs the command that the command line names. A server keeps running after this resolves. */
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
      return refuse(optionMessages.refused(request.reason));
    case 'keys': {
      const { runKeysCommand } = await import('./keys-command.ts');
      const { ok, text } = await runKeysCommand(request.request);
      (ok ? process.stdout : process.stderr).write(text);
      process.exitCode = ok ? 0 : 1;
      return;
    }
    case 'serve': {
      const wrong = placeProblem(request.host);
      return wrong === undefined ? serve(request) : refuse(`${wrong}.`);
    }
  }
}

function refuse(reason: string): void {
  process.stderr.write(`workflowlookup-http: ${reason}\n`);
  process.exitCode = 2;
}

async function serve(request: ServeRequest): Promise<void> {
  const log = createBufferedLog(process.stderr.write.bind(process.stderr));
  const [{ listen }, { createService }, telemetry] = await Promise.all([
    import('./app.ts'),
    import('./create-service.ts'),
    telemetryOf(request, log),
  ]);
  const service = createService(request, { version: manifest.version, log, telemetry, processMetrics: true });
  try {
    // Done before the port is opened, so that unusable keys are reported at once.
    const mcpPath = service.mcpPath();
    const consoleLink = service.consoleLink();
    const { url, stop } = await listen(service, request.network);
    process.stdout.write(`${url}${mcpPath}\n${consoleLink === undefined ? '' : `${url}${consoleLink}\n`}`);
    log('info', 'listening', { url, auth: authOf(request) });
    stopOnSignals(stop, request.network.noticeMs, log);
    if (request.host.audit !== undefined) process.on('SIGHUP', service.reopen);
    await service.warm().catch((error: unknown) => log('error', 'failure', describeError(error)));
  } catch (error) {
    process.stderr.write(`workflowlookup-http: ${reasonOf(error, request)}\n`);
    process.exitCode = 1;
  }
}

/** Loaded only where it is asked for. */
async function telemetryOf(request: ServeRequest, log: Log): Promise<Telemetry | undefined> {
  if (!request.telemetry) return undefined;
  const { openTelemetry } = await import('./telemetry/open-telemetry.ts');
  const database = request.host.database === undefined ? 'sqlite' : 'postgresql';
  return openTelemetry({ version: manifest.version, database, log });
}

function authOf({ network: { keys, oauth } }: ServeRequest): readonly string[] {
  return [...(keys ? ['keys'] : []), ...(oauth === undefined ? [] : ['oauth'])];
}

/** A load balancer is given notice where one may be: SIGINT comes from a person at a terminal. */
function stopOnSignals(stop: Listening['stop'], noticeMs: number, log: Log): void {
  const end = (signal: string): void => {
    log('info', 'draining', { signal });
    stop(signal === 'SIGTERM' ? noticeMs : 0)
      .catch((error: unknown) => {
        log('error', 'close', describeError(error));
        process.exitCode = 1;
      })
      .finally(() => process.exit());
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
}

function reasonOf(error: unknown, { network: { address, port } }: ServeRequest): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return optionMessages.portInUse(port, address);
  if (code === 'EACCES') return optionMessages.portForbidden(port, address);
  return error instanceof Error ? error.message : optionMessages.portFailed();
}
