import { once } from 'node:events';
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { buildApp, removeApp } from '../../../stdio/test/support/built-app.ts';
import { relayFiles } from '../../../stdio/test/support/relay-workflow.ts';
import type { StateFolder } from '../../../stdio/test/support/state-folder.ts';
import { stateFolder } from '../../../stdio/test/support/state-folder.ts';
import type { Replica } from '../support/replica.ts';
import { startReplica } from '../support/replica.ts';

/** The resources of a server at one moment. */
export interface Holding {
  /** Heap and external memory after a garbage collection. */
  readonly heapBytes: number;
  /** Resident memory of the process. */
  readonly residentBytes: number;
  /** Number of file descriptors, without those of sockets; 0 if the system does not show them. */
  readonly files: number;
  /** Number of open sockets. */
  readonly sockets: number;
  /** Size of the rollback journal and the write-ahead log of the database. */
  readonly journalBytes: number;
}

/** A server with SQLite whose resources can be measured. */
export interface SoakedServer {
  url(): string;
  /** Returns the value of a metric without labels. */
  metric(name: string): Promise<number>;
  holding(): Promise<Holding>;
}

const app = fileURLToPath(new URL('../..', import.meta.url));
const probe = new URL('memory-probe.mjs', import.meta.url).href;

/** Runs a server with these flags during the tests of this file. */
export function soakedServer(flags: readonly string[]): SoakedServer {
  let entry: string;
  let folder: StateFolder;
  let server: Replica;

  beforeAll(async () => {
    [entry, folder] = await Promise.all([buildApp(app), stateFolder(relayFiles)]);
    const node = ['--expose-gc', '--import', probe];
    server = await startReplica({ entry, flags: [...folder.flags, ...flags], node });
  }, 60_000);

  afterAll(async () => {
    await server.kill();
    await folder.dispose();
    await removeApp(entry);
  });

  const sizeOf = (file: string): number =>
    statSync(join(folder.state, file), { throwIfNoEntry: false })?.size ?? 0;

  return {
    url: () => server.url,
    async metric(name) {
      const page = await (await server.get('/metrics')).text();
      return Number(new RegExp(`^workflowlookup_${name} (.*)$`, 'm').exec(page)?.[1]);
    },
    async holding() {
      const answer = once(server.process, 'message');
      server.process.send('');
      const [{ heapUsed, external, rss }] = (await answer) as [NodeJS.MemoryUsage];
      return {
        heapBytes: heapUsed + external,
        residentBytes: rss,
        ...descriptorsOf(server.process.pid),
        journalBytes: sizeOf('sessions.db-journal') + sizeOf('sessions.db-wal'),
      };
    },
  };
}

function descriptorsOf(pid: number | undefined): Pick<Holding, 'files' | 'sockets'> {
  if (process.platform !== 'linux') return { files: 0, sockets: 0 };
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).map((name) => readlink(join(folder, name)));
  const sockets = targets.filter((target) => target.startsWith('socket:')).length;
  return { files: targets.length - sockets, sockets };
}

/** Returns the target of a descriptor; empty if it has been closed in the meantime. */
function readlink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
