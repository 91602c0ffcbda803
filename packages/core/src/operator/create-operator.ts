import { exportSession, keepExported } from '@workflowlookup/storage/journal';
import { findPrefix } from './find-prefix.ts';
import type { OperatorParts } from './load-run.ts';
import { loadSession } from './load-run.ts';
import type { Operator } from './operator.ts';
import { prunableSessions } from './prunable-sessions.ts';
import { readWholeExport } from './read-whole-export.ts';
import { abandon, ask, respond } from './respond.ts';
import { recordedEvent, soundnessIn, tellStory } from './tell-story.ts';

/** Makes what a person can do with the sessions of a store. Nothing is opened before the first call. */
export function createOperator(parts: OperatorParts): Operator {
  return {
    resolve: async (prefix) => findPrefix(await parts.store(), prefix),
    find: async (query, page) => (await parts.store()).find(query, page),
    counts: async () => (await parts.store()).counts(),
    present: (sid) => ask(parts, sid),
    respond: (sid, response) => respond(parts, sid, response),
    abandon: (sid) => abandon(parts, sid),
    story: (sid) => tellStory(parts, sid),
    async events(sid, range) {
      const store = await parts.store();
      return (await store.events(sid, range)).map(recordedEvent);
    },
    async verify(sid) {
      const store = await parts.store();
      return soundnessIn(store, await loadSession(store, sid));
    },
    async *export(sid) {
      const store = await parts.store();
      await loadSession(store, sid);
      yield* exportSession(store, sid);
    },
    async import(lines) {
      const exported = await readWholeExport(lines);
      return keepExported(await parts.store(), exported);
    },
    prunable: async (request) => prunableSessions(await parts.store(), request),
    prune: async (request) => (await parts.store()).prune(request),
  };
}
