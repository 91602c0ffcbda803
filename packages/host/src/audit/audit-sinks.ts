import type { Socket } from 'node:dgram';
import { createSocket } from 'node:dgram';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { AuditSink } from './audit-log.ts';
import type { SyslogReceiver } from './audit-place.ts';
import { readSyslog } from './audit-place.ts';

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
      if (written < bytes.length) throw new Error('The disk took a part of the entry');
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
