import { randomBytes } from 'node:crypto';
import type { RpcMessage } from '../json-rpc/rpc-messages.ts';

/** How much of a stream is kept for a client that reconnects. */
const maxKept = { events: 256, characters: 1_000_000 };

/** A reader that falls behind by this much is disconnected. It gets what it missed when it reconnects. */
const maxBehindBytes = 4_000_000;

/** How often an idle stream sends a keep-alive comment. */
const keepAliveMs = 15_000;

const encoder = new TextEncoder();

/** One stream of server-sent events. It outlives the HTTP connection, so that a client can reconnect to it. */
export class EventStream {
  readonly id: string = randomBytes(9).toString('base64url');
  readonly #onReaderChange: (change: 1 | -1) => void;
  readonly #kept: { readonly number: number; readonly text: string }[] = [];
  #characters = 0;
  #count = 0;
  #isOver = false;
  #reader: ReadableStreamDefaultController<Uint8Array> | undefined;
  #keepAlive: NodeJS.Timeout | undefined;

  /** Creates a stream. `onReaderChange` is called with 1 when a reader connects and with -1 when it disconnects. */
  constructor(onReaderChange: (change: 1 | -1) => void) {
    this.#onReaderChange = onReaderChange;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isRead(): boolean {
    return this.#reader !== undefined;
  }

  /** Writes an event without data, whose id a client can resume from. */
  prime(): void {
    this.#add('');
  }

  write(message: RpcMessage | readonly RpcMessage[]): void {
    this.#add(JSON.stringify(message));
  }

  end(): void {
    this.#isOver = true;
    this.#disconnect();
  }

  /** Returns the events after the one with that number. A previous reader is disconnected. */
  read(after = 0): ReadableStream<Uint8Array> {
    this.#disconnect();
    let own: ReadableStreamDefaultController<Uint8Array> | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          own = controller;
          for (const { number, text } of this.#kept)
            if (number > after) controller.enqueue(encoder.encode(text));
          if (this.#isOver) controller.close();
          else this.#attach(controller);
        },
        cancel: () => {
          if (this.#reader === own) this.#detach();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
    );
  }

  #add(data: string): void {
    if (this.#isOver) return;
    this.#count += 1;
    const text = `id: ${this.id}.${this.#count}\ndata: ${data}\n\n`;
    this.#kept.push({ number: this.#count, text });
    this.#characters += text.length;
    while (
      this.#kept.length > 1 &&
      (this.#kept.length > maxKept.events || this.#characters > maxKept.characters)
    )
      this.#characters -= this.#kept.shift()?.text.length ?? 0;
    this.#send(text);
  }

  #send(text: string): void {
    const reader = this.#reader;
    reader?.enqueue(encoder.encode(text));
    if ((reader?.desiredSize ?? 0) < -maxBehindBytes) this.#disconnect();
  }

  #attach(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#reader = controller;
    this.#keepAlive = setInterval(() => this.#send(': alive\n\n'), keepAliveMs).unref();
    this.#onReaderChange(1);
  }

  #disconnect(): void {
    const reader = this.#reader;
    this.#detach();
    reader?.close();
  }

  #detach(): void {
    if (this.#reader === undefined) return;
    clearInterval(this.#keepAlive);
    this.#reader = undefined;
    this.#onReaderChange(-1);
  }
}

/** The maximum number of streams that are kept for one session. */
const maxKeptStreams = 16;

export class SessionStreams {
  readonly #kept = new Map<string, EventStream>();
  readonly #listening: EventStream[] = [];
  readonly #onReaderChange: (change: 1 | -1) => void;

  /** Creates the streams. `onReaderChange` is called with 1 when a stream gets a reader and with -1 when it loses it. */
  constructor(onReaderChange: (change: 1 | -1) => void) {
    this.#onReaderChange = onReaderChange;
  }

  get readerCount(): number {
    return [...this.#kept.values()].filter(({ isRead }) => isRead).length;
  }

  /** Opens a stream for the reply to one request. */
  open(): EventStream {
    const stream = new EventStream(this.#onReaderChange);
    this.#kept.set(stream.id, stream);
    this.#dropOldest();
    return stream;
  }

  /** Opens a stream for messages that belong to no request. */
  listen(): EventStream {
    const stream = this.open();
    this.#listening.push(stream);
    return stream;
  }

  /** Writes a message that belongs to no request: to the newest listening stream with a reader, or else to the newest. */
  announce(message: RpcMessage): void {
    const stream = this.#listening.findLast(({ isRead }) => isRead) ?? this.#listening.at(-1);
    stream?.write(message);
  }

  /** Resumes a stream after an event. Returns `undefined` if the stream is no longer kept. */
  resume(lastEventId: string): ReadableStream<Uint8Array> | undefined {
    const [id = '', number = ''] = lastEventId.split('.');
    return /^\d{1,9}$/.test(number) ? this.#kept.get(id)?.read(Number(number)) : undefined;
  }

  end(): void {
    for (const stream of this.#kept.values()) stream.end();
    this.#kept.clear();
    this.#listening.length = 0;
  }

  /** Drops the oldest streams without a reader; those that still wait for a reply are dropped last. */
  #dropOldest(): void {
    const spare = [...this.#kept.values()].filter(({ isRead }) => !isRead).slice(0, -1);
    const order = [...spare.filter(({ isOver }) => isOver), ...spare.filter(({ isOver }) => !isOver)];
    for (const stream of order.slice(0, Math.max(0, this.#kept.size - maxKeptStreams))) {
      stream.end();
      this.#kept.delete(stream.id);
      const at = this.#listening.indexOf(stream);
      if (at >= 0) this.#listening.splice(at, 1);
    }
  }
}
