import { migrations } from '../../src/sql/postgres/migrations.ts';

/** The number of partitions of each table. */
const partCount = 8;

/** The tables in which every row belongs to one session. */
export const sessionTables: readonly string[] = [
  ...migrations.join('\n').matchAll(/CREATE TABLE (\w+) \((.*?)\n {2}\)/gs),
]
  .filter(([, , columns = '']) => /^\s*sid text/.test(columns))
  .map(([, name = '']) => name);

/**
 * Returns the current schema with every table of sessions partitioned by session id. A unique constraint of such a
 * table must include the id, so the id is added where it is missing. Nothing else differs.
 */
export function partitionedSchema(): string {
  const tables = migrations
    .join('\n')
    .replaceAll(/CREATE TABLE (\w+) \((.*?)\n {2}\);/gs, (whole, name: string, columns: string) =>
      sessionTables.includes(name) ? partitioned(name, columns) : whole,
    );
  return `
    CREATE SCHEMA workflowlookup;
    SET search_path = workflowlookup;
    CREATE TABLE meta (schema_version integer NOT NULL, last_change bigint NOT NULL);
    INSERT INTO meta (schema_version, last_change) VALUES (${migrations.length}, 0);
    ${tables}`;
}

function partitioned(name: string, columns: string): string {
  const unique = [...columns.matchAll(/^\s*(\w+) [^\n]* UNIQUE,?$/gm)].map(
    ([, column]) => `UNIQUE (${column}, sid)`,
  );
  const all = [columns.replaceAll(/ UNIQUE(?=,?$)/gm, ''), ...unique].join(',\n');
  const parts = Array.from(
    { length: partCount },
    (_, at) =>
      `CREATE TABLE ${name}_${at} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${partCount}, REMAINDER ${at});`,
  );
  return `CREATE TABLE ${name} (${all}) PARTITION BY HASH (sid);\n${parts.join('\n')}`;
}
