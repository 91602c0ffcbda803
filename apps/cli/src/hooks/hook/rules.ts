import type { HookAct } from '@workflowlookup/host/hook-acts';
import { defined } from '../../commands/command-line.ts';
import type { Binding, Bindings, BoundSession, DoneAct } from './bindings.ts';
import type {
  AgentStops,
  HookEvent,
  ModelRequested,
  SessionBegins,
  ToolReturned,
  ToolUse,
} from './events.ts';
import { hookReplies } from '../../messages/hook-replies.ts';
import { none, noteCheck, observe, record } from './observe.ts';
import type { HookPolicy } from './policy.ts';
import type { HookEngine, SessionView } from './sessions.ts';
import type { FoundToken } from './tools.ts';
import { effectsOf, foundToken, ownToolOf, tokenIn } from './tools.ts';

/** What the hook tells the client to do, independent of its format. */
export type HookReply =
  | { readonly kind: 'none' }
  /** Refuses a tool call. */
  | { readonly kind: 'deny'; readonly reason: string }
  /** Keeps the agent from ending its turn. */
  | { readonly kind: 'block-stop'; readonly reason: string }
  /** Adds to what the agent reads. */
  | { readonly kind: 'context'; readonly text: string };

/** The data and functions that the rules use. */
export interface HookParts {
  readonly bindings: Bindings;
  readonly policy: HookPolicy;
  /** @throws if the database can't be read */
  view(sid: string): Promise<SessionView | undefined>;
  readonly engine: HookEngine;
  /** Returns whether the checks of a folder may have a command, without reading them as YAML. */
  mayBeCheck(folder: string, command: string): boolean;
  /** Looks for a compaction in a transcript, after the bytes that were already read. */
  compaction(
    transcript: string,
    after: number,
  ): { readonly readBytes: number; readonly isCompacted: boolean };
  now(): Date;
}

/** Stops that are blocked without an accepted transition in between. After that, the agent is let go. */
export const maxBlocks = 2;

/** Applies the rules to an event. Errors of the database or of the engine let the client work on. */
export async function applyRules(parts: HookParts, event: HookEvent): Promise<HookReply> {
  if (event.session === '') throw new Error(hookReplies.noClientSession(event.name));
  switch (event.kind) {
    case 'after-tool':
      await bind(parts, event);
      return firstOf(await observe(parts, event), () => rehydrateIfCompacted(parts, event));
    case 'before-tool':
      return checkTool(parts, event, event.tool);
    case 'stop':
      return parts.bindings.alone(event, () => checkStop(parts, event));
    case 'session-begins':
      return beginSession(parts, event);
    case 'session-ends':
      if (event.process !== undefined) parts.bindings.saveCleared(event.process, event.session);
      return none;
    case 'prompt':
      return announce(parts, event);
    case 'before-model':
      return rehydrateRequest(parts, event);
  }
}

async function firstOf(reply: HookReply, next: () => Promise<HookReply>): Promise<HookReply> {
  return reply.kind === 'none' ? next() : reply;
}

/** Tools whose result binds an agent to the session that the result names. */
const binding: ReadonlySet<string | undefined> = new Set(['start_session', 'next_activity']);

async function bind({ bindings, now, view }: HookParts, event: ToolReturned): Promise<void> {
  const own = ownToolOf(event.tool.name);
  if (own === undefined) return;
  // The server knows which token this call got. Only where the client gives calls no id, the result is searched.
  const call = event.tool.id === undefined ? undefined : bindings.call(event.tool.id);
  const found = call === undefined ? tokenIn(event.output) : foundToken(call.token);
  if (found === undefined) return;
  const isKnown = (before: Binding): boolean => before.sessions.some(({ sid }) => sid === found.sid);
  if (!isKnown(bindings.load(event))) {
    if (!binding.has(own)) return;
    // A text that looks like a token binds nothing: the session must be there.
    if ((await view(found.sid)) === undefined) return;
  }
  await bindings.alone(event, async () => {
    const before = bindings.load(event);
    const sessions = binding.has(own)
      ? [...before.sessions.filter(({ sid }) => sid !== found.sid), boundTo(found, now())]
      : before.sessions.map((one) => (one.sid === found.sid ? boundTo(found, now()) : one));
    bindings.save(event, { ...before, sessions: sessions.slice(-maxBound) });
    if (!isKnown(before)) record({ bindings, now }, event, { rule: 'bind', act: 'bound', sid: found.sid });
  });
}

const maxBound = 8;

function boundTo({ token, sid, revision }: FoundToken, now: Date): BoundSession {
  return { sid, token, ...defined({ revision }), at: now.toISOString() };
}

/** The session that an agent works in: a subagent without one works in that of its main agent. */
async function currentSession(
  { bindings, view }: HookParts,
  event: HookEvent,
): Promise<{ readonly bound: BoundSession; readonly session: SessionView } | undefined> {
  const own = bindings.load(event);
  const isHelper = own.sessions.length === 0 && event.agent !== '' && event.kind !== 'stop';
  const { sessions } = isHelper ? bindings.load({ ...event, agent: '' }) : own;
  let last: { readonly bound: BoundSession; readonly session: SessionView } | undefined;
  for (const bound of sessions.toReversed()) {
    const session = await view(bound.sid);
    if (session === undefined) continue;
    last ??= { bound, session };
    if (session.status === 'active' || session.status === 'blocked') return { bound, session };
  }
  return last;
}

async function beginSession(parts: HookParts, event: SessionBegins): Promise<HookReply> {
  parts.bindings.prune();
  const isAdopted = event.context === 'cleared' && adopt(parts, event);
  if (event.context === 'new') return none;
  if (isAdopted && silentClients.has(event.client)) {
    parts.bindings.save(event, { ...parts.bindings.load(event), isPacketDue: true });
    return none;
  }
  return rehydrate(parts, event);
}

/**
 * Gives a session the binding of the one that its user has cleared before it in the same process. Clients that don't
 * say which session is cleared are left out: in Codex, one process works for all windows, in any project.
 */
function adopt({ bindings }: HookParts, event: HookEvent): boolean {
  if (event.process === undefined || bindings.load(event).sessions.length > 0) return false;
  const cleared = bindings.takeCleared(event.process);
  if (cleared === undefined) return false;
  const { sessions, blocks } = bindings.load({ session: cleared, agent: '' });
  if (sessions.length === 0) return false;
  bindings.save(event, { sessions, ...defined({ blocks }) });
  return true;
}

async function checkTool(parts: HookParts, event: HookEvent, tool: ToolUse): Promise<HookReply> {
  const { kinds, unknownCommand } = effectsOf(tool);
  if (kinds.length === 0) return none;
  const { require_session: required } = parts.policy;
  const needed = kinds.find((kind) => required.includes(kind));
  const current = await currentSession(parts, event);
  if (current === undefined || current.session.status === 'completed')
    return needed === undefined ? none : deny(parts, { event, tool }, hookReplies.noSession(needed));
  const { bound, session } = current;
  const { sid, allows, activity, status } = session;
  if (status === 'parked' && needed !== undefined)
    return deny(parts, { event, tool, sid }, hookReplies.sessionParked(needed, sid));
  if (status === 'parked' || activity === undefined) return none;
  const refused = allows && kinds.find((kind) => !allows.includes(kind));
  if (allows !== undefined && refused !== undefined)
    return deny(parts, { event, tool, sid }, hookReplies.notAllowed(refused, activity, allows, bound.token));
  if (unknownCommand !== undefined && allows?.includes('edit') === false)
    await recordOnce(parts, { event, key: tool.id }, { rule: 'edit', act: 'unknown-command', sid });
  await noteCheck(parts, { event, tool, bound });
  return none;
}

/** Denies a call. */
async function deny(
  parts: HookParts,
  { event, tool, sid }: { readonly event: HookEvent; readonly tool: ToolUse; readonly sid?: string },
  reason: string,
): Promise<HookReply> {
  await recordOnce(parts, { event, key: tool.id }, { rule: 'edit', act: 'denied', ...defined({ sid }) });
  return { kind: 'deny', reason };
}

interface Occasion {
  readonly event: HookEvent;
  /** Identifies the event among those of its kind. */
  readonly key: string | undefined;
}

/** Calls of two hooks with different names within this time are about the same event. */
const echoMs = 5000;

/**
 * Returns what a rule already did at the same event. A hook runs twice for one event if it is in two files, because
 * some clients also read the file of another client, whose hook has another name. Each name runs once for an event, so
 * a second call with the same name is about another event.
 */
function doneBefore(parts: HookParts, { event, key }: Occasion, act: string): DoneAct | undefined {
  const { bindings, now } = parts;
  const before = bindings.load(event);
  const { done = [] } = before;
  const same = done.findLast((one) => one.act === act && key !== undefined && one.key === key);
  if (same !== undefined) return same;
  const echoed = done.findLast(
    ({ act: other, client, atMs, echoes = [] }) =>
      other === act &&
      client !== event.client &&
      !echoes.includes(event.client) &&
      Math.abs(now().getTime() - atMs) < echoMs,
  );
  if (echoed === undefined) return undefined;
  const marked = { ...echoed, echoes: [...(echoed.echoes ?? []), event.client] };
  bindings.save(event, { ...before, done: done.map((one) => (one === echoed ? marked : one)) });
  return echoed;
}

function withDone(
  parts: HookParts,
  before: Binding,
  { event, key }: Occasion,
  done: Pick<DoneAct, 'act' | 'reply' | 'progress'>,
): Binding {
  const one: DoneAct = { ...done, ...defined({ key }), client: event.client, atMs: parts.now().getTime() };
  return { ...before, done: [...(before.done ?? []), one].slice(-6) };
}

/** Records what a rule did, unless another hook has recorded it for the same event. */
function recordOnce(
  parts: HookParts,
  occasion: Occasion,
  act: Omit<HookAct, 'at' | 'client'>,
): Promise<void> {
  const { bindings } = parts;
  const { event } = occasion;
  return bindings.alone(event, async () => {
    if (doneBefore(parts, occasion, act.act) !== undefined) return;
    bindings.save(event, withDone(parts, bindings.load(event), occasion, { act: act.act }));
    record(parts, event, act);
  });
}

async function checkStop(parts: HookParts, event: AgentStops): Promise<HookReply> {
  const { bindings, policy } = parts;
  if (policy.stop === 'free' || event.hasBackgroundTasks) return none;
  const known = bindings.load(event);
  const progress = await progressOf(parts, known);
  // After progress, this is a new stop and not a repetition.
  const done = known.done?.filter((one) => one.act !== 'stop' || one.progress === progress);
  const before: Binding = { ...known, ...defined({ done }) };
  if (done?.length !== known.done?.length) bindings.save(event, before);
  const occasion = { event, key: event.turn };
  const same = doneBefore(parts, occasion, 'stop');
  if (same !== undefined) return same.reply as HookReply;
  const current = await currentSession(parts, event);
  if (current?.session.status !== 'active') return none;
  const { bound, session } = current;
  const { sid, workflow } = session;
  const count = before.blocks?.progress === progress ? before.blocks.count : 0;
  if (count >= maxBlocks) {
    // Another hook that is asked about this stop must not hold the agent in its next session.
    bindings.save(event, withDone(parts, before, occasion, { act: 'stop', reply: none, progress }));
    return letGo(parts, event, sid);
  }
  // The count is on disk before the agent is blocked, so that a failure after it can't block for ever.
  const counted: Binding = { ...before, blocks: { progress, count: count + 1 } };
  bindings.save(event, counted);
  const call = await parts.engine.nextCall(bound);
  const reason = hookReplies.stopBlocked(sid, workflow, hookReplies.nextCall(call));
  const reply: HookReply = { kind: 'block-stop', reason };
  bindings.save(event, withDone(parts, counted, occasion, { act: 'stop', reply, progress }));
  record(parts, event, { rule: 'stop', act: 'blocked', sid });
  return reply;
}

/**
 * Returns a value for the progress of an agent's sessions. It changes with every accepted transition and every session
 * that the agent starts, and with nothing else that an agent does.
 */
async function progressOf({ view }: HookParts, { sessions }: Binding): Promise<string> {
  const found = await Promise.all(sessions.map(({ sid }) => view(sid)));
  return found
    .flatMap((one) => (one === undefined ? [] : [`${one.sid} ${one.since} ${one.status === 'completed'}`]))
    .toSorted()
    .join(', ');
}

async function letGo(parts: HookParts, event: AgentStops, sid: string): Promise<HookReply> {
  if (parts.policy.after_blocks === 'park') {
    try {
      await parts.engine.park(sid);
      record(parts, event, { rule: 'stop', act: 'parked', sid });
      return none;
    } catch (error) {
      parts.bindings.logError(error, 'park');
    }
  }
  record(parts, event, { rule: 'stop', act: 'released', sid });
  return none;
}

async function rehydrate(parts: HookParts, event: HookEvent, key?: string): Promise<HookReply> {
  const current = await currentSession(parts, event);
  if (current === undefined || current.session.status === 'completed') return none;
  const text = await parts.engine.packet(current.bound);
  await recordOnce(parts, { event, key }, { rule: 'rehydrate', act: 'packet', sid: current.session.sid });
  return { kind: 'context', text };
}

/**
 * Clients that don't tell their hooks about a compaction at the right time, but write it to their transcript. They also
 * don't pass on what a hook says when a session is cleared.
 */
const silentClients: ReadonlySet<string> = new Set(['gemini']);

/** Gives the packet at the first event after a compaction that only the transcript shows. */
async function rehydrateIfCompacted(parts: HookParts, event: HookEvent): Promise<HookReply> {
  const { bindings, compaction } = parts;
  if (event.transcript === undefined || !silentClients.has(event.client)) return none;
  const before = bindings.load(event);
  if (before.sessions.length === 0) return none;
  const { readBytes, isCompacted } = compaction(event.transcript, before.readBytes ?? 0);
  if (readBytes !== before.readBytes) bindings.save(event, { ...before, readBytes });
  return isCompacted && before.readBytes !== undefined
    ? rehydrate(parts, event, `after ${before.readBytes}`)
    : none;
}

/**
 * Adds the packet to each request after a compaction, up to the next event at which the conversation itself gets it:
 * what is added to a request is in that request alone.
 */
async function rehydrateRequest(parts: HookParts, event: ModelRequested): Promise<HookReply> {
  const { bindings, compaction } = parts;
  if (event.transcript === undefined || event.message === undefined) return none;
  const { sessions, readBytes } = bindings.load(event);
  if (sessions.length === 0 || readBytes === undefined) return none;
  return compaction(event.transcript, readBytes).isCompacted
    ? rehydrate(parts, event, `after ${readBytes}`)
    : none;
}

/** Adds to the next prompt what the agent must know: the packet after a lost context, or an answer to a checkpoint. */
async function announce(parts: HookParts, event: HookEvent): Promise<HookReply> {
  const { isPacketDue, ...before } = parts.bindings.load(event);
  if (before.sessions.length === 0) return none;
  if (isPacketDue === true) {
    parts.bindings.save(event, before);
    return rehydrate(parts, event);
  }
  const packet = await rehydrateIfCompacted(parts, event);
  return packet.kind === 'none' ? announceAnswer(parts, event) : packet;
}

/** Says once that a checkpoint was answered while the agent did nothing. */
async function announceAnswer(parts: HookParts, event: HookEvent): Promise<HookReply> {
  const { bindings } = parts;
  const before = bindings.load(event);
  const current = await currentSession(parts, event);
  if (current === undefined) return none;
  const { bound, session } = current;
  const { lastAnswer, revision, sid } = session;
  const isNews =
    lastAnswer !== undefined && lastAnswer.at > bound.at && revision > (bound.revision ?? revision - 1);
  if (!isNews) return none;
  const sessions = before.sessions.map((one) => (one.sid === sid ? { ...one, at: lastAnswer.at } : one));
  bindings.save(event, { ...before, sessions });
  record(parts, event, { rule: 'rehydrate', act: 'answered', sid });
  const { checkpoint, answer } = lastAnswer;
  return { kind: 'context', text: hookReplies.answered(checkpoint, answer, sid, bound.token) };
}
