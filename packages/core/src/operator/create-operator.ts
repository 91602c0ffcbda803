import { WorkflowError } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { exportSession } from '@workflowlookup/storage/journal';
import { nowOf } from '../session-engine/parts.ts';
import { readContents, loadSession } from './load-session.ts';
import { findPrefix, summarizeSession, prunableSessions, prune, surveySessions } from './find-sessions.ts';
import { importSession, verifyExport } from './import-session.ts';
import { actsOf, insightsOf, sessionsOf, withoutHookTags } from '../insights/insights.ts';
import type { Freshness } from '../insights/session-index.ts';
import { countedSessions, refreshIndex } from '../insights/session-index.ts';
import type { OperatorParts } from './load-session.ts';
import type { Operator } from './operator.ts';
import { abandon, ask, park, respond, unpark, glanceAtCheckpoint } from './respond.ts';
import { readAnchors, sealSession } from './seal-session.ts';
import { recordedEvent, readSessionHistory } from './session-history.ts';
import { listEvidence, reportEvidence, submitStatement } from './submit-evidence.ts';
import { judgeDraft, readTask } from './task.ts';
import { verifySession } from './verify-session.ts';
import { messages } from '../messages/sessions.ts';

/**
 * Creates the operator of a store: everything a person can do with its sessions. Nothing is opened before the first
 * call.
 */
export function createOperator({ principal, ...given }: OperatorParts): Operator {
  const parts: OperatorParts = {
    ...given,
    ...(principal === undefined ? {} : { principal }),
    store: async () => {
      const store = await given.store();
      return principal === undefined ? store : storeOf(principal, store);
    },
  };
  const { indexWaitMs: waitMs = Infinity } = given;
  const refreshed = (store: SessionStore): Promise<Freshness> =>
    refreshIndex(store, { waitMs, isContinued: waitMs < Infinity });
  const judgeParts = { jobs: given.jobs, principal };
  return {
    resolve: async (prefix) => findPrefix(await parts.store(), prefix),
    async find(asked, page) {
      const query = withoutHookTags(asked, () => given.hookActs?.() ?? []);
      const store = await parts.store();
      const isIndexed = query.search !== undefined || query.tags !== undefined;
      const { behind } = isIndexed ? await refreshed(await given.store()) : { behind: 0 };
      return { ...(await store.find(query, page)), ...(behind > 0 && { behind }) };
    },
    async insights(query = {}) {
      const freshness = await refreshed(await given.store());
      const counted = await countedSessions(await parts.store(), sessionsOf(query));
      const acts = actsOf(given.hookActs?.() ?? [], query, principal);
      return { ...insightsOf(counted, acts), ...freshness };
    },
    counts: async () => (await parts.store()).counts(),
    summary: async (sid) => summarizeSession(await parts.store(), sid),
    contents: async (sid) => readContents(await parts.store(), sid, judgeParts),
    checkpoint: (sid) => glanceAtCheckpoint(parts, sid),
    present: (sid) => ask(parts, sid),
    respond: (sid, response) => respond(parts, sid, response),
    abandon: (sid) => abandon(parts, sid),
    park: (sid, request) => park(parts, sid, request),
    unpark: (sid) => unpark(parts, sid),
    evidence: (sid) => listEvidence(parts, sid),
    reportEvidence: (sid, report) => reportEvidence(parts, sid, report),
    submitStatement: (sid, statement) => submitStatement(parts, sid, statement),
    task: (sid) => readTask(parts, sid),
    judge: (sid, draft) => judgeDraft(parts, sid, { ...draft, principal }),
    history: (sid) => readSessionHistory(parts, sid),
    async events(sid, range) {
      const store = await parts.store();
      return (await store.events(sid, range)).map(recordedEvent);
    },
    verify: async (sid, anchors) => verifySession(await parts.store(), sid, anchors),
    survey: async () => surveySessions(await parts.store()),
    anchors: async (lines) => readAnchors((await parts.store()).seals, lines),
    seal: (sid, request) => sealSession(parts, sid, request),
    async *export(sid, verified) {
      const store = await parts.store();
      await loadSession(store, sid);
      // The seal of an export vouches for all of it, even for missing data that the rows alone don't reveal.
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

/**
 * Returns a view of a store with the sessions of one principal only. Other sessions are reported as not found, and
 * operations that concern all sessions are refused.
 */
function storeOf(principal: string, store: SessionStore): SessionStore {
  const { index } = store;
  const load: SessionStore['load'] = async (sid) => {
    const loaded = await store.load(sid);
    return loaded?.session.principal === principal ? loaded : undefined;
  };
  return {
    ...store,
    load,
    find: (query, page) => store.find({ ...query, principal }, page),
    ...(index && {
      index: {
        outdated: refuse,
        put: refuse,
        entries: index.entries,
        select: (query) => index.select({ ...query, principal }),
      },
    }),
    counts: () => store.counts(principal),
    events: async (sid, range) => ((await load(sid)) === undefined ? [] : store.events(sid, range)),
    inspect: async (sid) => {
      const found = await store.inspect?.(sid);
      return found?.session?.value.principal === principal ? found : undefined;
    },
    seal: refuse,
    survey: refuse,
    create: refuse,
    prune: refuse,
    changes: refuse,
  };
}

function refuse(): Promise<never> {
  const error = new WorkflowError('FORBIDDEN', messages.otherUsersToo());
  return Promise.reject(error);
}
