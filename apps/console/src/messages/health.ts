import { plural } from '../components/format.ts';

export const healthMessages = {
  title: 'Health',
  lead: (version: string, uptime: string) => `Version ${version}, up ${uptime}.`,
  draining: 'The server is shutting down',
  facts: {
    server: 'Server',
    database: 'Database',
    keys: 'Token keys',
    clients: 'Connected clients',
    streams: 'Open streams',
    node: 'Node.js',
  },
  status: { ready: 'ready', draining: 'shutting down', not_ready: 'not ready' },
  sessions: 'Sessions',
  sources: {
    title: 'Sources',
    columns: { source: 'Source', directory: 'Directory', workflows: 'Workflows', problems: 'Problems' },
    writable: 'writable',
    errors: (count: number) => plural(count, 'error'),
    warnings: (count: number) => plural(count, 'warning'),
    none: 'none',
  },
  refusals: {
    title: 'Refused calls',
    empty: 'No call was refused',
    columns: { code: 'Code', calls: 'Calls' },
  },
  latency: {
    title: 'Response times',
    empty: 'There were no requests yet',
    route: 'Route',
    columns: ['Requests', 'p50', 'p95', 'p99'],
    atMost: (milliseconds: number) => `≤ ${milliseconds} ms`,
  },
} as const;
