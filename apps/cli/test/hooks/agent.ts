import type { AnsweredCall, HookAct } from '@workflowlookup/host/hook-acts';
import type { AgentKey, Binding, Bindings } from '../../src/hooks/hook/bindings.ts';
import { emptyBinding } from '../../src/hooks/hook/bindings.ts';
import type { EventSurroundings, HookClient } from '../../src/hooks/hook/events.ts';
import { readEvent } from '../../src/hooks/hook/events.ts';
import type { HookPolicy } from '../../src/hooks/hook/policy.ts';
import { defaultPolicy } from '../../src/hooks/hook/policy.ts';
import type { HookReply } from '../../src/hooks/hook/rules.ts';
import { applyRules } from '../../src/hooks/hook/rules.ts';
import type { HookEngine, SessionView } from '../../src/hooks/hook/sessions.ts';

/** Returns a token with the id and the revision of a session, in the format of the server. */
export function tokenOf(sid: string, revision: number): string {
  const bytes = Buffer.alloc(33, 1);
  bytes.write(sid, 0, 'hex');
  bytes.writeUInt32BE(revision, 10);
  return `wl_${bytes.toString('base64url')}`;
}

/** A simulated machine with sessions in memory and with hooks. */
export interface Machine {
  readonly sessions: Map<string, SessionView>;
  readonly acts: HookAct[];
  readonly errors: unknown[];
  /** The calls that the server recorded. */
  readonly calls: Map<string, AnsweredCall>;
  policy: HookPolicy;
  /** The operations that fail from now on. */
  fails: { view?: boolean; engine?: boolean; park?: boolean };
  /** Sends an event to the hook, and returns the reply. If the hook fails, the reply blocks nothing. */
  send(fields: object, client?: HookClient, more?: EventSurroundings): Promise<HookReply>;
  nowMs: number;
  /** The transcript of the client. */
  transcript: string;
  /** Commands that are checks of the session. */
  readonly checks: Set<string>;
  /** Identifies the state of the files. */
  tree: string;
  /** The runs of checks that the hook recorded. */
  readonly recorded: object[];
}

export function openMachine(policy: Partial<HookPolicy> = {}): Machine {
  const kept = new Map<string, Binding>();
  const processes = new Map<string, string>();
  const keyOf = ({ session, agent }: AgentKey): string => JSON.stringify([session, agent]);
  const bindings: Bindings = {
    load: (event) => kept.get(keyOf(event)) ?? emptyBinding,
    save: (event, binding) => void kept.set(keyOf(event), structuredClone(binding)),
    alone: (_event, work) => work(),
    saveCleared: (id, session) => void processes.set(id, session),
    takeCleared(id) {
      const cleared = processes.get(id);
      processes.delete(id);
      return cleared;
    },
    call: (id) => machine.calls.get(id),
    prune: () => undefined,
    record: (act) => void machine.acts.push(act),
    logError: (error) => void machine.errors.push(error),
  };
  const check = (what: keyof Machine['fails']): void => {
    if (machine.fails[what] === true) throw new Error(`${what} fails`);
  };
  const engine: HookEngine = {
    async nextCall({ token }) {
      check('engine');
      return `next_activity {"session_token":"${token}"}`;
    },
    async packet({ sid }) {
      check('engine');
      return `packet of ${sid}`;
    },
    async treeBefore(_session, { command }) {
      return machine.checks.has(command) ? machine.tree : undefined;
    },
    async recordCheck(_session, run) {
      if (run.tree !== machine.tree) return [];
      machine.recorded.push(run);
      return ['tests'];
    },
    async park(sid) {
      check('engine');
      check('park');
      const session = machine.sessions.get(sid);
      if (session === undefined) throw new Error('gone');
      machine.sessions.set(sid, { ...session, status: 'parked', revision: session.revision + 1 });
    },
  };
  const machine: Machine = {
    sessions: new Map(),
    acts: [],
    errors: [],
    calls: new Map(),
    policy: { ...defaultPolicy, ...policy },
    fails: {},
    transcript: '',
    checks: new Set(),
    tree: 'one',
    recorded: [],
    nowMs: Date.parse('2026-03-01T10:00:00Z'),
    async send(fields, client = 'claude-code', more = {}) {
      machine.nowMs += 1000;
      const event = readEvent(client, JSON.stringify({ session_id: 'c1', cwd: '/work', ...fields }), {
        turnOf: (path) => path,
        ...more,
      });
      if (event === undefined) return { kind: 'none' };
      const parts = {
        bindings,
        policy: machine.policy,
        engine,
        now: () => new Date(machine.nowMs),
        mayBeCheck: () => true,
        compaction: (_transcript: string, after: number) => ({
          readBytes: machine.transcript.length,
          isCompacted: machine.transcript.slice(after).includes('compacted'),
        }),
        view: async (sid: string) => {
          check('view');
          return machine.sessions.get(sid);
        },
      };
      try {
        return await applyRules(parts, event);
      } catch (error) {
        machine.errors.push(error);
        return { kind: 'none' };
      }
    },
  };
  return machine;
}

export const sidA = '5d0c3a9e7f1b2c4d6e8f';
export const sidB = '6d0c3a9e7f1b2c4d6e8f';

/** Adds a session in its first activity. */
export function addSession(machine: Machine, sid: string, more: Partial<SessionView> = {}): void {
  machine.sessions.set(sid, {
    sid,
    workflow: 'change',
    status: 'active',
    revision: 2,
    since: 2,
    activity: 'read',
    ...more,
  });
}

/** Returns the event for a result of one of our tools. */
export function resultOf(tool: string, sid: string, revision = 2, more: object = {}): object {
  const session_token = tokenOf(sid, revision);
  return {
    hook_event_name: 'PostToolUse',
    tool_name: `mcp__workflowlookup__${tool}`,
    tool_input: {},
    tool_use_id: `t-${revision}`,
    tool_response: [{ type: 'text', text: JSON.stringify({ session_id: sid, session_token }) }],
    ...more,
  };
}

export const stop = { hook_event_name: 'Stop', stop_hook_active: false };

/** Returns the event before a call of a tool. */
export function before(tool: string, input: object, more: object = {}): object {
  return { hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input, tool_use_id: 'u', ...more };
}
