import type { HookAct } from '@workflowlookup/host/hook-acts';
import type { Binding, Bindings, BoundSession } from './bindings.ts';
import { emptyBinding } from './bindings.ts';
import type { AgentStops, HookEvent, ToolUse } from './events.ts';
import { hookMessages } from './messages.ts';
import { noteCheck, observe } from './observe.ts';
import type { HookPolicy } from './policy.ts';
import type { SessionView } from './session-view.ts';
import type { FoundToken } from './tools.ts';
import { effectsOf, ownToolOf, tokenIn } from './tools.ts';

/** What the hook tells the client to do, independent of its format. */
export type HookReply =
  | { readonly kind: 'none' }
  /** Refuses a tool call. */
  | { readonly kind: 'deny'; readonly reason: string }
  /** Lets the agent not end its turn. */
  | { readonly kind: 'block-stop'; readonly reason: string }
  /** Adds to what the agent reads. */
  | { readonly kind: 'context'; readonly text: string };

/** The part of the engine that a hook needs if it acts. It is loaded only then. */
export interface HookEngine {
  /** Returns the next call as one line, with the token in it. */
  nextCall(session: BoundSession): Promise<string>;
  /** Returns what an agent has to know after it lost its context, in at most 1,000 tokens. */
  packet(session: BoundSession): Promise<string>;
  park(sid: string): Promise<void>;
  /** Returns the state of the files, if the session asks for a command as a check that a person trusts. */
  treeBefore(session: BoundSession, run: CheckCommand): Promise<string | undefined>;
  /** Records how a check ended, as evidence of the level `observed`. Returns the ids of the evidence. */
  recordCheck(
    session: BoundSession,
    run: CheckCommand & { readonly exitCode: number; readonly tree: string },
  ): Promise<readonly string[]>;
}

/** A command that may be a check of a project. */
export interface CheckCommand {
  readonly folder: string;
  readonly command: string;
}

/** What the rules work on. */
export interface HookParts {
  readonly bindings: Bindings;
  readonly policy: HookPolicy;
  /** @throws if the database can't be read */
  view(sid: string): Promise<SessionView | undefined>;
  readonly engine: HookEngine;
  /** Returns whether the checks of a folder may have a command, without reading them as YAML. */
  mayBeCheck(folder: string, command: string): boolean;
  /** Looks for a compaction in a transcript, after the bytes that were looked at before. */
  compaction(
    transcript: string,
    after: number,
  ): { readonly readBytes: number; readonly isCompacted: boolean };
  now(): Date;
}

const none: HookReply = { kind: 'none' };

/** Stops that are blocked without an accepted transition in between. After that, the agent is let go. */
export const maxBlocks = 2;

/** Applies the rules to an event. Errors of the database or of the engine let the client work on. */
export async function applyRules(parts: HookParts, event: HookEvent): Promise<HookReply> {
  switch (event.kind) {
    case 'after-tool':
      await bind(parts, event);
      return firstOf(await observe(parts, event), () => rehydrateIfCompacted(parts, event));
    case 'before-tool':
      return checkTool(parts, event, event.tool);
    case 'stop':
      return parts.bindings.alone(event, () => checkStop(parts, event));
    case 'session-begins':
      parts.bindings.prune();
      if (event.context === 'cleared') adopt(parts, event);
      return event.context === 'new' ? none : rehydrate(parts, event);
    case 'session-ends':
      leave(parts, event);
      return none;
    case 'prompt':
      return announceAnswer(parts, event);
  }
}

async function firstOf(reply: HookReply, next: () => Promise<HookReply>): Promise<HookReply> {
  return reply.kind === 'none' ? next() : reply;
}

/** Tools whose result binds an agent to the session that the result names. */
const binding: ReadonlySet<string | undefined> = new Set(['start_session', 'next_activity']);

async function bind(
  { bindings, now, view }: HookParts,
  event: Extract<HookEvent, { kind: 'after-tool' }>,
): Promise<void> {
  const own = ownToolOf(event.tool.name);
  const found = own === undefined ? undefined : tokenIn(event.output);
  if (found === undefined) return;
  const before = bindings.load(event);
  const known = before.sessions.find(({ sid }) => sid === found.sid);
  if (known === undefined && !binding.has(own)) return;
  // A text that looks like a token binds nothing: the session must be there.
  if (known === undefined && (await view(found.sid)) === undefined) return;
  const sessions = binding.has(own)
    ? [...before.sessions.filter(({ sid }) => sid !== found.sid), boundTo(found, now())]
    : before.sessions.map((one) => (one.sid === found.sid ? boundTo(found, now()) : one));
  bindings.save(event, { ...before, sessions: sessions.slice(-maxBound) });
  if (known === undefined) record({ bindings, now }, event, { rule: 'bind', act: 'bound', sid: found.sid });
}

const maxBound = 8;

function boundTo({ token, sid, revision }: FoundToken, now: Date): BoundSession {
  return { sid, token, ...(revision === undefined ? {} : { revision }), at: now.toISOString() };
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

/** Keeps the binding of a session that its user clears, for the session that the same process begins next. */
function leave({ bindings }: HookParts, event: HookEvent): void {
  const before = bindings.load(event);
  if (event.process !== undefined && before.sessions.length > 0) bindings.save(ofProcess(event), before);
}

function adopt({ bindings }: HookParts, event: HookEvent): void {
  if (event.process === undefined || bindings.load(event).sessions.length > 0) return;
  const left = bindings.load(ofProcess(event));
  if (left.sessions.length === 0) return;
  bindings.save(event, left);
  bindings.save(ofProcess(event), emptyBinding);
}

/** Where the binding of a process is, which is no session of a client. */
function ofProcess({ client, process: id = '' }: HookEvent): Pick<HookEvent, 'client' | 'session' | 'agent'> {
  return { client, session: `process ${id}`, agent: '' };
}

async function checkTool(parts: HookParts, event: HookEvent, tool: ToolUse): Promise<HookReply> {
  const { kinds, unknownCommand } = effectsOf(tool);
  if (kinds.length === 0) return none;
  const { require_session: required } = parts.policy;
  const needed = kinds.find((kind) => required.includes(kind));
  const current = await currentSession(parts, event);
  if (current === undefined || current.session.status === 'completed')
    return needed === undefined ? none : deny(parts, { event, tool }, hookMessages.noSession(needed));
  const { bound, session } = current;
  const { sid, allows, activity, status } = session;
  if (status === 'parked' && needed !== undefined)
    return deny(parts, { event, tool, sid }, hookMessages.sessionParked(needed, sid));
  if (status === 'parked' || activity === undefined) return none;
  const refused = allows && kinds.find((kind) => !allows.includes(kind));
  if (allows !== undefined && refused !== undefined)
    return deny(parts, { event, tool, sid }, hookMessages.notAllowed(refused, activity, allows, bound.token));
  if (unknownCommand !== undefined && allows?.includes('edit') === false)
    record(parts, event, { rule: 'edit', act: 'unknown-command', sid });
  await noteCheck(parts, { event, tool, bound });
  return none;
}

/** Denies a call. A hook that runs twice for one call, because two files have it, records that once. */
function deny(
  parts: HookParts,
  { event, tool, sid }: { readonly event: HookEvent; readonly tool: ToolUse; readonly sid?: string },
  reason: string,
): Promise<HookReply> {
  const { bindings } = parts;
  const key = `call ${tool.id ?? ''}`;
  return bindings.alone(event, async () => {
    const before = bindings.load(event);
    const reply: HookReply = { kind: 'deny', reason };
    if (tool.id !== undefined && before.replies?.some((one) => one.key === key) === true) return reply;
    bindings.save(event, withReply(before, { key, reply }));
    record(parts, event, { rule: 'edit', act: 'denied', ...(sid === undefined ? {} : { sid }) });
    return reply;
  });
}

function withReply(before: Binding, reply: NonNullable<Binding['replies']>[number]): Binding {
  return { ...before, replies: [...(before.replies ?? []), reply].slice(-4) };
}

async function checkStop(parts: HookParts, event: AgentStops): Promise<HookReply> {
  const { bindings, policy } = parts;
  if (policy.stop === 'free' || event.hasBackgroundTasks) return none;
  const before = bindings.load(event);
  const key = event.turn;
  const same = key === undefined ? undefined : before.replies?.find((one) => one.key === key);
  if (same !== undefined) return same.reply as HookReply;
  const current = await currentSession(parts, event);
  if (current?.session.status !== 'active') return none;
  const { bound, session } = current;
  const { sid, since, workflow } = session;
  const { blocks } = before;
  const count = blocks?.sid === sid && blocks.since === since ? blocks.count : 0;
  if (count >= maxBlocks) return letGo(parts, event, sid);
  // The count is on disk before the agent is blocked, so that a failure after it can't block for ever.
  const counted: Binding = { ...before, blocks: { sid, since, count: count + 1 } };
  bindings.save(event, counted);
  const call = await parts.engine.nextCall(bound);
  const reason = hookMessages.stopBlocked(sid, workflow, hookMessages.nextCall(call));
  const reply: HookReply = { kind: 'block-stop', reason };
  if (key !== undefined) {
    bindings.save(event, withReply(counted, { key, reply }));
  }
  record(parts, event, { rule: 'stop', act: 'blocked', sid });
  return reply;
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

async function rehydrate(parts: HookParts, event: HookEvent): Promise<HookReply> {
  const current = await currentSession(parts, event);
  if (current === undefined || current.session.status === 'completed') return none;
  const text = await parts.engine.packet(current.bound);
  record(parts, event, { rule: 'rehydrate', act: 'packet', sid: current.session.sid });
  return { kind: 'context', text };
}

/** Clients that don't tell their hooks about a compaction at the right time, but write it to their transcript. */
const silentClients: ReadonlySet<string> = new Set(['gemini']);

/** Gives the packet at the first event after a compaction that only the transcript tells of. */
async function rehydrateIfCompacted(parts: HookParts, event: HookEvent): Promise<HookReply> {
  const { bindings, compaction } = parts;
  if (event.transcript === undefined || !silentClients.has(event.client)) return none;
  const before = bindings.load(event);
  if (before.sessions.length === 0) return none;
  const { readBytes, isCompacted } = compaction(event.transcript, before.readBytes ?? 0);
  if (readBytes !== before.readBytes) bindings.save(event, { ...before, readBytes });
  return isCompacted && before.readBytes !== undefined ? rehydrate(parts, event) : none;
}

/** Says once that a checkpoint was answered while the agent did nothing. */
async function announceAnswer(parts: HookParts, event: HookEvent): Promise<HookReply> {
  const { bindings } = parts;
  const before = bindings.load(event);
  if (before.sessions.length === 0) return none;
  const packet = await rehydrateIfCompacted(parts, event);
  if (packet.kind !== 'none') return packet;
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
  return { kind: 'context', text: hookMessages.answered(checkpoint, answer, sid, bound.token) };
}

function record(
  { bindings, now }: Pick<HookParts, 'bindings' | 'now'>,
  { client }: Pick<HookEvent, 'client'>,
  act: Omit<HookAct, 'at' | 'client'>,
): void {
  bindings.record({ at: now().toISOString(), client, ...act });
}
