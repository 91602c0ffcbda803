import type { Environment } from '@workflowlookup/host/flags';
import { readSwitch } from '@workflowlookup/host/flags';

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const protocols = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

/** What `--help` says of traces. */
export const telemetryUsage = `  --telemetry       send traces to a receiver of OTLP over HTTP; where it is, and what
                    else there is to choose, say the variables OTEL_…
`;

/** Whether traces are asked for; a text says what is wrong with how. */
export function readTelemetry(flag: boolean | undefined, env: Environment): boolean | string {
  const isAsked = flag === true || readSwitch(env, 'WORKFLOWLOOKUP_TELEMETRY', false);
  return isAsked === true ? (wrongVariable(env) ?? true) : isAsked;
}

/** What the exporter would pass over in silence. An endpoint may hold a password, so it is not repeated. */
function wrongVariable(env: Environment): string | undefined {
  const endpoint = endpoints.find((name) => !isEndpoint(env[name] ?? ''));
  if (endpoint !== undefined) return `${endpoint} must be an http or https URL`;
  const protocol = protocols.find((name) => !['', 'http/json'].includes(env[name] ?? ''));
  if (protocol === undefined) return undefined;
  return `${protocol} must be http/json, for traces are sent as JSON over HTTP, found '${env[protocol]}'`;
}

function isEndpoint(text: string): boolean {
  return text === '' || (/^https?:\/\//i.test(text) && URL.canParse(text));
}
