/** What is wrong with a place for the audit log, or `undefined` for a valid one. */
export function auditPlaceProblem(place: string): string | undefined {
  if (!place.startsWith('syslog:')) return place === '' ? 'it is empty' : undefined;
  return readSyslog(place) === undefined
    ? `found '${place}', expected syslog://HOST or syslog://HOST:PORT`
    : undefined;
}

/** Where datagrams are sent. */
export interface SyslogReceiver {
  readonly host: string;
  readonly port: number;
}

/** Reads `syslog://HOST[:PORT]`; `undefined` for anything else. */
export function readSyslog(place: string): SyslogReceiver | undefined {
  if (!place.startsWith('syslog://') || !URL.canParse(place)) return undefined;
  const { hostname: host, port, pathname, search, username } = new URL(place);
  if (host === '' || !['', '/'].includes(pathname) || search !== '' || username !== '') return undefined;
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? 514 : Number(port) };
}
