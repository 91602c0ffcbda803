import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:dgram';
import { createSocket } from 'node:dgram';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { SessionOptions, SyslogReceiver } from '../options.ts';
import { readSyslog } from '../options.ts';
import { placeMessages } from '../messages.ts';

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

/** The person or credential, and the address, as far as the server knows. Never a secret, a token, a variable or an output. */
export interface AuditContext {
  /** The channel: an MCP client, the console, the command line, or the server itself. */
  readonly channel?: 'mcp' | 'console' | 'cli' | 'server';
  /** Owner of the sessions. */
  readonly principal?: string;
  /** The person, where one is known. */
  readonly person?: string;
  /** Id of the API key; never its secret. */
  readonly key?: string;
  /** Address of the client, behind trusted proxies too. */
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
  /** `refused`: the server did not let them; `failed`: it could not. */
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
  /** Runs work whose entries all say who acts; nested calls add to what the outer one said. */
  within<T>(context: AuditContext, work: () => T): T;
  /** Adds to what the entries of the work under way say, such as the session that a token turned out to be of. */
  note(context: AuditContext): void;
  /** Opens files again, after they were moved away. */
  reopen(): void;
  /** Whether the last entry could not be written to every sink. */
  isFailing(): boolean;
  /** Writes what is left and closes everything. */
  close(): Promise<void>;
}

/** A destination for entries. */
export interface AuditSink {
  /** One JSON object without a line end. @throws what the system does */
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

/** Makes the audit log over its sinks; without any it records nothing and costs nothing. */
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
 * Opens a place for entries: `-` for standard error, `syslog://HOST[:PORT]` for a receiver of RFC 5424 over UDP, anything
 * else is the path of a file.
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
  const socket: Socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
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
