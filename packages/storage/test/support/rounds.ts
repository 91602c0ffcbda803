import { isLong } from '../../../../test/support/is-long.ts';

/** How often the tests with real processes and damaged files repeat. `npm run test:long` selects the long form. */
export const rounds = isLong
  ? { race: 10_000, replicaRace: 10_000, kill: 1_000, damage: 2_000, outageMs: 300_000, traces: 10_000 }
  : { race: 100, replicaRace: 40, kill: 12, damage: 20, outageMs: 4_000, traces: 8 };

/** The time limit of such a test. */
export const patienceMs = isLong ? 3_600_000 : 60_000;

/**
 * Settings of Postgres servers. Tests end processes but never the machine, so the short form does not wait for the
 * disk.
 */
export const serverSettings: Readonly<Record<string, string>> = isLong ? {} : { fsync: 'off' };
