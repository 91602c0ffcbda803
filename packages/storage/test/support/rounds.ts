const isLong = process.env['WORKFLOWLOOKUP_LONG'] === '1';

/** How often the tests with real processes and damaged files repeat themselves; `npm run test:long` asks for the long form. */
export const rounds = isLong
  ? { race: 10_000, kill: 1_000, damage: 2_000, outageMs: 600_000, traces: 10_000 }
  : { race: 200, kill: 25, damage: 20, outageMs: 60_000, traces: 20 };

/** What such a test may take. */
export const patienceMs = isLong ? 3_600_000 : 60_000;
