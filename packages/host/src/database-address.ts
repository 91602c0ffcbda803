import type { Environment } from './flags.ts';

/** Ways to say in an address that the connection is encrypted, or that it need not be. */
const sslModes: ReadonlySet<string> = new Set([
  'disable',
  'no-verify',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
]);

/**
 * What is wrong with the address of a database; `undefined` for one that will do. An address that leads to another machine
 * has to say whether the connection is encrypted: without `sslmode` everything, the password too, goes over the network in
 * the clear. The address may hold a password, so nothing of it is repeated but its host.
 */
export function databaseProblem(address: string, env: Environment = {}): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address))
    return 'must be an address of Postgres, such as postgres://user@localhost/database';
  const { hostname, searchParams } = new URL(address);
  const mode = searchParams.get('sslmode') ?? env['PGSSLMODE'] ?? '';
  if (mode !== '' && !sslModes.has(mode))
    return `has sslmode=${mode}, which is not one of ${[...sslModes].join(', ')}`;
  const isSaid = mode !== '' || ['1', 'true', '0', 'false'].includes(searchParams.get('ssl') ?? '');
  const host =
    searchParams.get('host') ?? (hostname === '' ? (env['PGHOST'] ?? '') : hostname.replaceAll(/%2f/gi, '/'));
  if (isSaid || isOnThisMachine(host)) return undefined;
  return `leads to another machine (${host}) and does not say whether the connection is encrypted. Add ?sslmode=verify-full to the address (and &sslrootcert=FILE for a private certificate authority); if nobody else uses the network in between, add ?sslmode=disable`;
}

/** Loopback, or the folder of a socket. */
function isOnThisMachine(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return (
    name === '' ||
    name.startsWith('/') ||
    name === 'localhost' ||
    name === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}
