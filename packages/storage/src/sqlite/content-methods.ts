import { setImmediate as nextTurn } from 'node:timers/promises';
import { digestOf } from '@workflowlookup/schema';
import type { Seals } from '../session-store.ts';
import type { ContentMethods } from '../sessions/store-parts.ts';
import type { Connection } from './connection.ts';
import {
  blobsOf,
  hasBlob,
  insertBlob,
  isDefinitionKept,
  putDefinition,
  readBlob,
  readDefinition,
} from './content-rows.ts';
import { createMissCheck } from './miss-check.ts';

/** What a SQLite store does with what is kept by its digest. What is there is found without waiting for a lock. */
export function contentMethods(connection: Connection, seals: Seals, now: () => number): ContentMethods {
  const checkMiss = createMissCheck();
  const at = (): string => new Date(now()).toISOString();
  return {
    async putDefinition(digest, body, options) {
      const draft = { digest, body, ...options };
      if (await connection.read((db) => isDefinitionKept(db, seals, draft))) return;
      await connection.write((db) => putDefinition(db, seals, { ...draft, at: at() }));
    },
    async getDefinition(digest, options) {
      return connection.read(
        (db) => readDefinition(db, seals, digest, options) ?? checkMiss(db, 'definitions'),
      );
    },
    async putBlob(value) {
      const digest = digestOf(value);
      // A call may keep hundreds of values, each in a transaction of its own: others are served in between.
      await nextTurn();
      const isKept = await connection.read((db) => hasBlob(db, digest));
      if (!isKept) await connection.write((db) => insertBlob(db, { digest, value, at: at() }));
      return digest;
    },
    async getBlob(digest) {
      // A value may be null.
      return connection.read((db) => (hasBlob(db, digest) ? readBlob(db, digest) : checkMiss(db, 'blobs')));
    },
    async blobs(sid) {
      return connection.read((db) => blobsOf(db, sid));
    },
  };
}
