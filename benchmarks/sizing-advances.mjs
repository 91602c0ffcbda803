import { run } from './rows/http-postgres.mjs';

/** How many sessions one replica and two move on, as shares of what the database does without them. */
export async function advances(bench) {
  const lines = [];
  for (const servers of [1, 2])
    for (const { ratio } of await run(bench, { servers })) lines.push([String(servers), ratio.toFixed(2)]);
  return {
    title: 'What replicas do',
    lines: [['replicas', 'advances to the floor of the database'], ...lines],
    notes: ['Replicas, clients and Postgres share the processors of this machine.'],
  };
}
