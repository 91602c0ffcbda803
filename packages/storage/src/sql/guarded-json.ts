import { crc32 } from 'node:zlib';
import type { JsonObject } from '@workflowlookup/schema';
import { damagedStore } from './damaged-store.ts';
import type { SqlRow, SqlValue } from './sql-row.ts';

/** A checksum over columns, for rows that no hash covers: a database may not notice a flipped bit inside of a value. */
export function checksum(values: readonly (SqlValue | undefined)[]): number {
  return crc32(JSON.stringify(values));
}

/** The value in a column of JSON. A checksum in column `crc` covers it and the columns it is `guarded` with; damage is an error. */
export function guardedJson(
  row: SqlRow,
  column: string,
  { guarded = [], crc = 'crc' }: { readonly guarded?: readonly string[]; readonly crc?: string } = {},
): JsonObject {
  const values = [column, ...guarded].map((name) => row[name]);
  if (checksum(values) !== row[crc]) throw damagedStore(`a ${column} is not what was stored`);
  return JSON.parse(String(row[column])) as JsonObject;
}
