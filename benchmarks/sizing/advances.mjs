import { run } from '../rows/http-postgres.mjs';

/** Measures how many sessions one and two replicas advance, as a share of plain updates of the same database. */
export async function advances(bench) {
  const lines = [];
  for (const servers of [1, 2])
    for (const { ratio } of await run(bench, { servers })) lines.push([String(servers), ratio.toFixed(2)]);
  return {
    title: 'Throughput of replicas',
    lines: [['replicas', 'advances to the floor of the database'], ...lines],
    notes: ['Replicas, clients and Postgres share the processors of this machine.'],
  };
}
