import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { CommandOutput } from '@workflowlookup/core/sessions';
import { writeOutHidden } from '@workflowlookup/schema';

/** How much of the end of an output is kept. */
const keptBytes = 4096;

/** Takes the output of a command chunk by chunk. Keeps only its end and its digest, so its size does not matter. */
export interface OutputRecorder {
  add(chunk: Buffer): void;
  bytes(): number;
  lastLine(): string;
  finish(): CommandOutput;
}

export function recordOutput(): OutputRecorder {
  const hash = createHash('sha256');
  let bytes = 0;
  // Everything is copied into this memory: a new buffer for each chunk would add up until memory is collected.
  const end = Buffer.alloc(keptBytes);
  let kept = 0;
  const tail = (): string => plainText(end.subarray(0, kept));
  return {
    add(chunk) {
      hash.update(chunk);
      bytes += chunk.length;
      const added = Math.min(chunk.length, keptBytes);
      const left = Math.min(kept, keptBytes - added);
      end.copyWithin(0, kept - left, kept);
      chunk.copy(end, left, chunk.length - added);
      kept = left + added;
    },
    bytes: () => bytes,
    lastLine: () => tail().trimEnd().split('\n').at(-1)?.slice(-200) ?? '',
    finish: () => ({ digest: `sha256:${hash.digest('hex')}`, bytes, tail: tail() }),
  };
}

/** Two ends of one stream: what a command writes to, and what the server reads from. */
export interface OutputStream {
  /** To be closed as soon as the command has it. */
  readonly write: Socket;
  readonly read: Socket;
}

/**
 * Opens a stream for the output of a command. All of it is read into the same memory. The pipes that `spawn` makes take
 * new memory for each chunk, and 50 MB of output would make the server half as large again until memory is collected.
 */
export async function openOutput(onData: (chunk: Buffer) => void): Promise<OutputStream> {
  const server = createServer();
  try {
    const path = join(tmpdir(), `wl-${randomUUID()}`);
    server.listen(path);
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const buffer = Buffer.alloc(64 * 1024);
    const read = createConnection({
      path,
      onread: {
        buffer,
        callback: (bytes) => {
          onData(buffer.subarray(0, bytes));
          return true;
        },
      },
    });
    await once(read, 'connect');
    const [write] = (await accepted) as [Socket];
    for (const one of [read, write]) one.on('error', () => one.destroy());
    return { write, read: read.resume() };
  } finally {
    server.close();
  }
}

/** Decodes an output that may begin within a character. Control characters and escape sequences could deceive a reader. */
function plainText(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(4, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  const text = stripVTControlCharacters(bytes.subarray(start).toString('utf8')).replaceAll('\r\n', '\n');
  // Written out, a character takes more room.
  return writeOutHidden(text.replaceAll('\r', '\n')).slice(-keptBytes);
}
