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

/** What a server holds at one moment. */
export interface Holding {
  /** In memory, once everything that can be let go is gone. */
  readonly heapBytes: number;
  /** Of the process, as the system sees it. */
  readonly residentBytes: number;
  /** File descriptors but those of connections; 0 where the system does not show them. */
  readonly files: number;
  /** Those of connections. */
  readonly sockets: number;
  /** Of the journal of its database, or the log it writes ahead. */
  readonly journalBytes: number;
}

/** A server over SQLite that can be asked what it holds. */
export interface SoakedServer {
  url(): string;
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>;
  holding(): Promise<Holding>;
}

const app = fileURLToPath(new URL('../..', import.meta.url));
const probe = new URL('memory-probe.mjs', import.meta.url).href;

/** Runs one as long as the tests of this file, with these flags. */
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

/** Where a descriptor leads; it may be closed by the time it is looked at. */
function readlink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
