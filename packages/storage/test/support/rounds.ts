import { isLong } from '../../../../test/is-long.ts';

/** How often the tests with real processes and damaged files repeat themselves; `npm run test:long` asks for the long form. */
export const rounds = isLong
  ? { race: 10_000, replicaRace: 10_000, kill: 1_000, damage: 2_000, outageMs: 300_000, traces: 10_000 }
  : { race: 200, replicaRace: 60, kill: 25, damage: 20, outageMs: 4_000, traces: 8 };

/** What such a test may take. */
export const patienceMs = isLong ? 3_600_000 : 60_000;

/** How servers of Postgres are set up: what tests do to one ends a process, never a machine, so the short form waits for no disk. */
export const serverSettings: Readonly<Record<string, string>> = isLong ? {} : { fsync: 'off' };
