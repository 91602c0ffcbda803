import { AsyncLocalStorage } from 'node:async_hooks';
import { createSocket } from 'node:dgram';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve, join } from 'node:path';
import type { AnchoredHead, Operator } from '@workflowlookup/core/operator';
import { anchorLine } from '@workflowlookup/core/operator';
import type { SessionParts } from '@workflowlookup/core/sessions';
import { WorkflowError, isStoreFailure } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { placeMessages } from './messages.ts';
import type { SessionOptions, SyslogReceiver } from './options.ts';
import { readSyslog } from './options.ts';
import type { Trust } from './trust/trust.ts';

/** An action, or an attempt at it. */
export type AuditAction =
  | 'answer'
  | 'authenticate'
  | 'call'
  | 'distrust'
  | 'export'
  | 'import'
  | 'key.create'
  | 'key.revoke'
  | 'key.seal'
  | 'prune'
  | 'read'
  | 'save'
  | 'session.end'
  | 'session.seal'
  | 'session.start'
  | 'sign-in'
  | 'sign-out'
  | 'trust';

/**
 * Who acts, and from where, as far as the server knows. It never contains a secret, a token, a variable or an output.
 */
export interface AuditContext {
  /** The channel: an MCP client, the console, the command line, or the server itself. */
  readonly channel?: 'mcp' | 'console' | 'cli' | 'server';
  /** Owner of the sessions. */
  readonly principal?: string;
  /** The person, if known. */
  readonly person?: string;
  /** Id of the API key; never its secret. */
  readonly key?: string;
  /** The address of the client. If a trusted proxy forwarded the request, it is the address that the proxy reports. */
  readonly address?: string;
  /** `X-Request-Id` of the request, which the log of the server has too. */
  readonly request?: string;
  /** Id of the session. */
  readonly session?: string;
  /** Tool, route or command. */
  readonly via?: string;
}

/** One line of the audit log. */
export interface AuditEntry extends AuditContext {
  readonly action: AuditAction;
  /** `refused`: the server did not allow it. `failed`: it was allowed and did not succeed. */
  readonly outcome: 'done' | 'refused' | 'failed';
  /** The object of the action: id of a key or a checkpoint, name of a file, number of sessions. */
  readonly target?: string;
  /** Why it was refused or failed: a code. */
  readonly code?: string;
}

/**
 * Records who did what, for an operator who has to answer for it later. It is not the journal: a session's own events
 * record what was decided; this log records who had access and what they did with it.
 *
 * @example
 * host.audit.record({ action: 'trust', outcome: 'done', channel: 'cli', person: host.person, target: digest });
 *
 * @see docs/operations.md#audit-log
 */
export interface AuditLog {
  /** Whether anything is recorded. If not, callers can skip costly lookups. */
  readonly isOn: boolean;
  /** Records an entry, with the actor of the current work. Never throws: a sink that fails is reported once. */
  record(entry: AuditEntry): void;
  /** Adds `context` to every entry that is recorded during `work`. Nested calls add to the context of the outer one. */
  within<T>(context: AuditContext, work: () => T): T;
  /** Adds to the context of the current work, for example the session that a token belongs to. */
  note(context: AuditContext): void;
  /** Opens files again, after they were moved away. */
  reopen(): void;
  /** Whether the last entry could not be written to every sink. */
  isFailing(): boolean;
  /** Writes pending entries and closes the sinks. */
  close(): Promise<void>;
}

/** A destination for entries. */
export interface AuditSink {
  /** Writes one JSON object, given without a line break. @throws system errors */
  write(line: string): void;
  reopen?(): void;
  close?(): Promise<void>;
}

/** Options of `createAuditLog`. */
export interface AuditLogParts {
  readonly sinks: readonly AuditSink[];
  /** Called when entries begin to be lost, and when they are written again, with the number of lost entries. */
  onChange?(change: { readonly isFailing: boolean; readonly lost: number; readonly error?: unknown }): void;
  readonly now?: () => Date;
}

/** Creates the audit log. Without sinks it records nothing. */
export function createAuditLog({ sinks, onChange, now = () => new Date() }: AuditLogParts): AuditLog {
  if (sinks.length === 0) return silent;
  const ambient = new AsyncLocalStorage<AuditContext>();
  let lost = 0;
  let failing = false;

  function write(line: string): void {
    let failure: { readonly error: unknown } | undefined;
    for (const sink of sinks) {
      try {
        sink.write(line);
      } catch (error) {
        failure = { error };
      }
    }
    if (failure !== undefined) lost += 1;
    const change = failing !== (failure !== undefined);
    failing = failure !== undefined;
    if (change) onChange?.({ isFailing: failing, lost, ...failure });
    if (!failing) lost = 0;
  }

  return {
    isOn: true,
    record(entry) {
      const { action, outcome, ...more } = { ...ambient.getStore(), ...entry };
      write(JSON.stringify({ time: now().toISOString(), action, outcome, ...more }));
    },
    within: (context, work) => ambient.run({ ...ambient.getStore(), ...context }, work),
    note(context) {
      const here = ambient.getStore();
      if (here !== undefined) Object.assign(here, context);
    },
    reopen() {
      for (const sink of sinks) sink.reopen?.();
    },
    isFailing: () => failing,
    async close() {
      for (const sink of sinks) await sink.close?.();
    },
  };
}

/** Records nothing. */
const silent: AuditLog = {
  isOn: false,
  record: () => undefined,
  within: (_context, work) => work(),
  note: () => undefined,
  reopen: () => undefined,
  isFailing: () => false,
  close: () => Promise.resolve(),
};

/**
 * Opens a sink: `-` is standard error, `syslog://HOST[:PORT]` a receiver of RFC 5424 over UDP, and anything else the
 * path of a file.
 */
export function openAuditSink(place: string): AuditSink {
  if (place === '-') return { write: (line) => void process.stderr.write(`${line}\n`) };
  const syslog = readSyslog(place);
  return syslog === undefined ? fileSink(resolve(place)) : syslogSink(syslog);
}

/** Appends to a file of this user alone. Each line is one write, so that several processes can share the file. */
function fileSink(path: string): AuditSink {
  let descriptor: number | undefined;

  function open(): number {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, 'a', 0o600);
  }

  function close(): void {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  }

  return {
    write(line) {
      descriptor ??= open();
      const bytes = Buffer.from(`${line}\n`);
      const written = writeSync(descriptor, bytes);
      // On a full disk the system may write only a part of the line, without an error.
      if (written < bytes.length) throw new Error(placeMessages.diskFull());
    },
    reopen: close,
    close: () => Promise.resolve(close()),
  };
}

/** Facility 13 is that of audit logs, severity 6 is informational. */
const priority = 13 * 8 + 6;

/** Sends datagrams. Nobody notices a lost one; use a file if the log has to be complete. */
function syslogSink({ host, port }: SyslogReceiver): AuditSink {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const from = hostname().replaceAll(/[^\x21-\x7e]/g, '-') || '-';
  let sending = 0;
  let onSent = (): void => undefined;
  let failure: Error | undefined;
  socket.on('error', (error) => (failure = error)).unref();
  return {
    write(line) {
      const before = failure;
      failure = undefined;
      sending += 1;
      const head = `<${priority}>1 ${new Date().toISOString()} ${from} workflowlookup ${process.pid} audit -`;
      socket.send(`${head} ${line}`, port, host, (error) => {
        failure = error ?? failure;
        sending -= 1;
        if (sending === 0) onSent();
      });
      // A failure to send a datagram is known only when the next one is sent.
      if (before !== undefined) throw before;
    },
    async close() {
      if (sending > 0) await new Promise<void>((done) => (onSent = done));
      await new Promise<void>((done) => socket.close(done));
    },
  };
}

export function openAuditLog({
  audit = [],
  onAuditChange = warn,
}: Pick<SessionOptions, 'audit' | 'onAuditChange'>): AuditLog {
  return createAuditLog({ sinks: audit.map(openAuditSink), onChange: onAuditChange });
}

const warn: NonNullable<SessionOptions['onAuditChange']> = ({ isFailing, error }) => {
  const reason = error instanceof Error ? error.message : undefined;
  if (isFailing) process.stderr.write(`${placeMessages.auditNotWritten(reason)}\n`);
};

/** Records the ends of journals outside the database. */
export interface Anchor {
  /** Adds the latest event of a journal, and returns at once. */
  write(head: AnchoredHead): void;
  /** Tries once more to write the pending lines. */
  close(): Promise<void>;
}

export interface AnchorOptions {
  /** A file that lines are added to, or an `http:` or `https:` address they are sent to. */
  readonly place: string;
  /** The folder that a relative path starts from. */
  readonly workingDirectory: string;
  store(): Promise<Pick<SessionStore, 'seals'>>;
  /** Called once for each series of failures; by default it writes a line to standard error. */
  readonly onProblem?: (message: string) => void;
}

/** Heads that arrive within this time are written together. */
const delayMs = 100;
/** While writing fails, the wait between attempts doubles up to this. */
const longestWaitMs = 60_000;
const timeoutMs = 10_000;
/** How many sessions may wait. The newest end of a journal replaces the earlier ones. */
const mostWaiting = 10_000;

/**
 * Records the latest event of each journal as a sealed line of JSON. It never delays a call: the lines are written in
 * the background. While writing fails, only the latest event of each session is kept.
 */
export function createAnchor({
  place,
  workingDirectory,
  store,
  onProblem = warnOfAnchor,
}: AnchorOptions): Anchor {
  const send = /^https?:/.test(place)
    ? (text: string) => post(place, text)
    : (text: string) => appendFile(resolve(workingDirectory, place), text, { mode: 0o600 });
  let waiting = new Map<string, AnchoredHead>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let failures = 0;
  let dropped = 0;

  async function flush(): Promise<void> {
    const heads = waiting;
    waiting = new Map();
    try {
      const { seals } = await store();
      if (seals === undefined) return;
      const lines = Array.from(heads.values(), (head) => `${anchorLine(seals, head)}\n`);
      await send(lines.join(''));
      failures = 0;
    } catch (error) {
      waiting = new Map([...heads, ...waiting]);
      failures += 1;
      const reason = error instanceof Error ? error.message : String(error);
      if (failures === 1)
        onProblem(placeMessages.anchorNotWritten(place, reason, { waiting: waiting.size, dropped }));
    }
  }

  function plan(): void {
    if (timer !== undefined || writing !== undefined || waiting.size === 0) return;
    const wait = failures === 0 ? delayMs : Math.min(longestWaitMs, 1_000 * 2 ** (failures - 1));
    timer = setTimeout(start, wait).unref();
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    writing ??= flush().finally(() => {
      writing = undefined;
      plan();
    });
  }

  return {
    write(head) {
      if (waiting.size >= mostWaiting && !waiting.has(head.sid)) dropped += 1;
      else waiting.set(head.sid, head);
      plan();
    },
    async close() {
      await writing;
      if (waiting.size > 0) start();
      await writing;
      clearTimeout(timer);
    },
  };
}

async function post(url: string, body: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
}

function warnOfAnchor(message: string): void {
  process.stderr.write(`workflowlookup: ${message}\n`);
}

const actions: Readonly<Record<string, AuditAction>> = {
  'session-started': 'session.start',
  'session-completed': 'session.end',
  'checkpoint-answered': 'answer',
};

/** Passes events of sessions on to the caller's listener and to the audit log. */
export function auditedListeners(
  { onWrite }: Pick<SessionParts, 'onWrite'>,
  audit: AuditLog,
): Pick<SessionParts, 'onSession' | 'onWrite'> {
  if (!audit.isOn) return onWrite === undefined ? {} : { onWrite };
  return {
    onSession: (session) => audit.note({ session }),
    onWrite(written) {
      onWrite?.(written);
      const action = actions[written.type];
      if (action !== undefined) audit.record({ action, outcome: 'done', session: written.sid });
    },
  };
}

type What = Pick<AuditEntry, 'action' | 'session' | 'target'>;

/**
 * Records what a person does with sessions: reading, deleting, importing and exporting them, and answers that were
 * refused.
 */
export function auditedOperator(operator: Operator, audit: AuditLog, who: AuditContext): Operator {
  if (!audit.isOn) return operator;

  /** Records what `work` came to: always a failure, and a success unless `doneOf` returns `undefined` for it. */
  async function told<T>(
    what: What,
    work: () => Promise<T>,
    doneOf: (result: T) => Partial<What> | undefined = () => ({}),
  ): Promise<T> {
    const { session } = what;
    return audit.within({ ...who, ...(session !== undefined && { session }) }, async () => {
      try {
        const result = await work();
        const done = doneOf(result);
        if (done !== undefined) audit.record({ ...what, ...done, outcome: 'done' });
        return result;
      } catch (error) {
        audit.record({ ...what, ...outcomeOf(error) });
        throw error;
      }
    });
  }

  const isInJournal = (): undefined => undefined;
  return {
    ...operator,
    history: (sid) => told({ action: 'read', session: sid }, () => operator.history(sid)),
    contents: (sid) => told({ action: 'read', session: sid }, () => operator.contents(sid)),
    events: (sid, range) => told({ action: 'read', session: sid }, () => operator.events(sid, range)),
    present: (sid) => told({ action: 'read', session: sid }, () => operator.present(sid)),
    task: (sid) => told({ action: 'read', session: sid }, () => operator.task(sid)),
    respond: (sid, response) =>
      told({ action: 'answer', session: sid }, () => operator.respond(sid, response), isInJournal),
    abandon: (sid) => told({ action: 'session.end', session: sid }, () => operator.abandon(sid), isInJournal),
    seal: (sid, request) => told({ action: 'session.seal', session: sid }, () => operator.seal(sid, request)),
    export(sid, verified) {
      audit.within(who, () => audit.record({ action: 'export', outcome: 'done', session: sid }));
      return operator.export(sid, verified);
    },
    import: (lines) =>
      told(
        { action: 'import' },
        () => operator.import(lines),
        ({ sid }) => ({ session: sid }),
      ),
    prune: (request) =>
      told(
        { action: 'prune' },
        () => operator.prune(request),
        (count) => ({ target: `${count} sessions` }),
      ),
  };
}

export function auditedTrust(trust: Trust, audit: AuditLog): Trust {
  if (!audit.isOn) return trust;
  return {
    ...trust,
    trust(place, texts, how) {
      trust.trust(place, texts, how);
      const target = join(place.directory, place.file);
      audit.record({ action: 'trust', outcome: 'done', person: how.by, target });
    },
    trustFolder(directory, by) {
      const folder = trust.trustFolder(directory, by);
      audit.record({ action: 'trust', outcome: 'done', person: by, target: folder.path });
      return folder;
    },
    checks: {
      ...trust.checks,
      trust(checks, by) {
        trust.checks.trust(checks, by);
        audit.record({ action: 'trust', outcome: 'done', person: by, target: checks.path });
      },
    },
    remove(path) {
      const count = trust.remove(path);
      audit.record({ action: 'distrust', outcome: 'done', target: path });
      return count;
    },
  };
}

/** Returns whether an action was refused or failed, with the code. */
function outcomeOf(error: unknown): Pick<AuditEntry, 'outcome' | 'code'> {
  const code = error instanceof WorkflowError ? error.code : 'INTERNAL';
  return { outcome: code === 'INTERNAL' || isStoreFailure(code) ? 'failed' : 'refused', code };
}
