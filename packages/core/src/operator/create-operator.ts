import { exportSession } from '@workflowlookup/storage/journal';
import { nowOf } from '../session-engine/clock.ts';
import { readContents } from './contents.ts';
import { findPrefix } from './find-prefix.ts';
import { glanceAt } from './glance-at.ts';
import { importSession } from './import-session.ts';
import type { OperatorParts } from './load-run.ts';
import { loadSession } from './load-run.ts';
import type { Operator } from './operator.ts';
import { paintSession } from './paint-session.ts';
import { judgeDraft } from './judge-draft.ts';
import { readAnchors } from './anchors.ts';
import { prunableSessions, prune } from './prunable-sessions.ts';
import { abandon, ask, respond } from './respond.ts';
import { readTask } from './read-task.ts';
import { storeOf } from './store-of.ts';
import { surveyStore } from './survey-store.ts';
import { sealSession } from './seal-session.ts';
import { recordedEvent, tellStory } from './tell-story.ts';
import { verifyExport } from './verify-export.ts';
import { verifySession } from './verify-session.ts';

/** Makes what a person can do with the sessions of a store. Nothing is opened before the first call. */
export function createOperator({ principal, ...given }: OperatorParts): Operator {
  const parts: OperatorParts = {
    ...given,
    ...(principal === undefined ? {} : { principal }),
    store: async () => {
      const store = await given.store();
      return principal === undefined ? store : storeOf(principal, store);
    },
  };
  const judgeParts = { jobs: given.jobs, principal };
  return {
    resolve: async (prefix) => findPrefix(await parts.store(), prefix),
    find: async (query, page) => (await parts.store()).find(query, page),
    counts: async () => (await parts.store()).counts(),
    glance: async (sid) => glanceAt(await parts.store(), sid),
    contents: async (sid) => readContents(await parts.store(), sid, judgeParts),
    present: (sid) => ask(parts, sid),
    respond: (sid, response) => respond(parts, sid, response),
    abandon: (sid) => abandon(parts, sid),
    task: (sid) => readTask(parts, sid),
    judge: (sid, draft) => judgeDraft(parts, sid, { ...draft, principal }),
    story: (sid) => tellStory(parts, sid),
    picture: (sid) => paintSession(parts, sid),
    async events(sid, range) {
      const store = await parts.store();
      return (await store.events(sid, range)).map(recordedEvent);
    },
    verify: async (sid, anchors) => verifySession(await parts.store(), sid, anchors),
    survey: async () => surveyStore(await parts.store()),
    anchors: async (lines) => readAnchors((await parts.store()).seals, lines),
    seal: (sid, request) => sealSession(parts, sid, request),
    async *export(sid, verified) {
      const store = await parts.store();
      await loadSession(store, sid);
      // The seal of an export vouches for all of it, also where the rows alone don't show what is missing.
      const { problems, trace } = verified ?? (await verifySession(store, sid));
      const exported = { at: new Date(nowOf(parts)).toISOString(), by: parts.person };
      yield* exportSession(store, sid, {
        exported,
        isSealed: problems.length === 0,
        ...(trace !== undefined && { trace }),
      });
    },
    import: (lines) => importSession(parts, lines),
    verifyExport: (lines, check) => verifyExport(parts, lines, check),
    prunable: async (request) => prunableSessions(await parts.store(), request),
    prune: async (request) => prune(parts, request),
  };
}
