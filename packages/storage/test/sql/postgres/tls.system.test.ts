import { generate } from 'selfsigned';
import { describe, expect, it } from 'vitest';
import { postgresPlaces } from '../../support/postgres-place.ts';
import { refusal as refusalOf } from './refusals.ts';
import { start } from '../../support/sessions.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** Makes a certificate for the address of the server, and its key. */
const certify = () =>
  generate([{ name: 'commonName', value: 'database' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });

const [own, other] = await Promise.all([certify(), certify()]);

const { place, server } = postgresPlaces(
  { ssl: 'on', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' },
  { 'server.crt': own.cert, 'server.key': own.private },
);

/** Returns the address of a new database with TLS settings, and files with certificates to trust. */
async function encrypted() {
  const [here, folder] = await Promise.all([place(), tempFolder()]);
  await folder.write('own.crt', own.cert);
  await folder.write('other.crt', other.cert);
  await folder.write('broken.crt', own.cert.replace(/[A-Za-z]/g, '!'));
  const address = (mode: string, root?: string): string => {
    const url = new URL(here.url);
    url.searchParams.set('sslmode', mode);
    if (root !== undefined) url.searchParams.set('sslrootcert', folder.path(root));
    return url.href;
  };
  return { ...here, address };
}

const untrusted = { reason: 'tls', retryable: false };

describe('A Postgres server with TLS', () => {
  it.each(['verify-full', 'require'])('is used with TLS if the address has sslmode %s', async (mode) => {
    const { open, run, address } = await encrypted();
    const store = open({ server: address(mode, 'own.crt') });
    store.watchChanges?.(() => {});
    await start(store, 's1');
    const used = `SELECT ssl, version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE application_name = 'workflowlookup' AND datname = current_database()`;
    await expect.poll(() => run(used), { timeout: 10_000 }).toHaveLength(2);
    for (const connection of await run(used))
      expect(connection).toEqual({ ssl: true, version: expect.stringMatching(/^TLSv1\.[23]$/) });
  });

  it.each<[what: string, mode: string, root?: string]>([
    ['with a certificate of an unknown authority', 'verify-full'],
    ['if only the certificate of another server is trusted', 'verify-full', 'other.crt'],
    ['with such a certificate even if sslmode is require', 'require'],
    ['if the file of the trusted certificate is missing', 'verify-full', 'none.crt'],
    ['if the file of the trusted certificate is broken', 'verify-full', 'broken.crt'],
  ])('is refused %s', async (_what, mode, root) => {
    const { open, address } = await encrypted();
    const store = open({ server: address(mode, root) });
    expect(await refusalOf(server(), store.load('s1'))).toEqual(untrusted);
    expect(await store.health()).toMatchObject({ ok: false });
  });

  it('is refused under a name that its certificate does not have', async () => {
    const { open, address } = await encrypted();
    const url = new URL(address('verify-full', 'own.crt'));
    url.hostname = 'localhost';
    expect(await refusalOf(server(), open({ server: url.href }).load('s1'))).toEqual(untrusted);
  });
});
