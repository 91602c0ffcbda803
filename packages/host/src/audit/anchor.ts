import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AnchoredHead } from '@workflowlookup/core/operator';
import { anchorLine } from '@workflowlookup/core/operator';
import type { SessionStore } from '@workflowlookup/storage';
import { placeMessages } from '../messages.ts';

/** Records the ends of journals outside the database. */
export interface Anchor {
  /** Adds the end of a journal, and returns at once. */
  write(head: AnchoredHead): void;
  /** Tries once more to write the lines that wait. */
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
 * Writes down the ends of journals, each as a line of JSON with a seal. It never delays a call: what comes is collected, and
 * of each session the last one is kept while the place does not take them.
 */
export function createAnchor({ place, workingDirectory, store, onProblem = warn }: AnchorOptions): Anchor {
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

function warn(message: string): void {
  process.stderr.write(`workflowlookup: ${message}\n`);
}
