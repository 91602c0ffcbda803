import { expect, test } from 'vitest';
import { createHost } from '../../src/create-host.ts';
import { databaseProblems } from '../../src/messages.ts';
import { databaseProblem } from '../../src/options.ts';

const problemOf = (address: string, env = {}): string | undefined => databaseProblem(address, env);

test.each([
  'postgres://me@localhost/db',
  'postgresql://me:secret@127.0.0.1:5432/db',
  'postgres://me@127.1.2.3/db',
  'postgres://me@[::1]:5432/db',
  'postgres:///db',
  'postgres:///db?host=/var/run/postgresql',
  'postgres://%2Fvar%2Frun%2Fpostgresql/db',
  'postgres://me@db.internal/db?sslmode=verify-full',
  'postgres://me@db.internal/db?sslmode=require&application_name=x',
  'postgres://me@db.internal/db?sslmode=disable',
  'postgres://me@db.internal/db?ssl=true',
])('The address %s is accepted', (address) => {
  expect(problemOf(address)).toBeUndefined();
});

test.each([
  'postgres://me:secret@db.internal/db',
  'postgres://me:secret@10.0.0.7/db',
  'postgres://me:secret@localhost.example.com/db',
  'postgres://me:secret@127.0.0.1.example.com/db',
  'postgres://me:secret@[2001:db8::1]/db',
  'postgres://me:secret@localhost/db?host=db.internal',
  'postgres://me:secret@db.internal/db?sslmode=',
])('The address %s is refused, because it would send data over the network unencrypted', (address) => {
  expect(problemOf(address)).toMatch(/sslmode=verify-full/);
  expect(problemOf(address)).not.toContain('secret');
});

test('An sslmode that the driver would ignore is refused', () => {
  expect(problemOf('postgres://db.internal/db?sslmode=allow')).toMatch(/allow.*verify-full/);
});

test('The environment variables of Postgres are taken into account', () => {
  expect(problemOf('postgres:///db', { PGHOST: 'db.internal' })).toMatch(/db\.internal/);
  expect(problemOf('postgres://db.internal/db', { PGSSLMODE: 'verify-full' })).toBeUndefined();
});

test.each(['mysql://x', 'postgres://u:secret@[', ''])("'%s' is not a valid address", (address) => {
  expect(problemOf(address)).toBe(databaseProblems.notPostgres());
});

test('A host cannot open a database with such an address', async () => {
  const host = createHost({ database: 'postgres://me:secret@db.internal/db' });
  await expect(host.vault()).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    data: { reason: 'address' },
  });
  await host.close();
});
