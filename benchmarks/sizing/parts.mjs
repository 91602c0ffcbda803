import { newSessionId } from '@workflowlookup/core/tokens';
import { startPostgresServer } from '../servers/postgres-server.mjs';
import { countText } from './text.mjs';

const idCount = 1_000_000;
const batch = 20_000;
const counts = [8, 16, 64];
const most = Math.max(...counts);

/** Measures how evenly Postgres distributes session ids over hash partitions. */
export async function parts(bench) {
  const server = await startPostgresServer(bench.scratch, { fsync: 'off' });
  try {
    const sizes = await spread(server, await server.database());
    return {
      title: `${countText(idCount)} session ids in hash partitions`,
      lines: [
        ['partitions', 'smallest', 'largest', 'largest to mean'],
        ...counts.map((count) => lineOf(count, sizes)),
      ],
      notes: [],
    };
  } finally {
    await server.remove();
  }
}

/**
 * Counts the ids in each of the largest number of partitions. Each partition of a smaller number combines several of
 * them.
 */
async function spread(server, url) {
  const made = Array.from(
    { length: most },
    (_, at) =>
      `CREATE UNLOGGED TABLE ids_${at} PARTITION OF ids FOR VALUES WITH (MODULUS ${most}, REMAINDER ${at});`,
  );
  await server.run(
    url,
    `CREATE TABLE ids (sid text COLLATE "C") PARTITION BY HASH (sid); ${made.join('\n')}`,
  );
  for (let kept = 0; kept < idCount; kept += batch)
    await server.run(url, 'INSERT INTO ids SELECT unnest($1::text[])', [
      Array.from({ length: batch }, () => newSessionId()),
    ]);
  const rows = await server.run(
    url,
    'SELECT tableoid::regclass::text AS part, count(*) AS n FROM ids GROUP BY 1',
  );
  const sizes = Array.from({ length: most }, () => 0);
  for (const { part, n } of rows) sizes[Number(part.replace('ids_', ''))] = Number(n);
  return sizes;
}

function lineOf(count, sizes) {
  const sums = Array.from({ length: count }, (_, part) =>
    sizes.reduce((sum, size, at) => (at % count === part ? sum + size : sum), 0),
  );
  const largest = Math.max(...sums);
  return [
    count,
    countText(Math.min(...sums)),
    countText(largest),
    (largest / (idCount / count)).toFixed(4),
  ].map(String);
}
