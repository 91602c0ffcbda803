import type { RpcMessage } from '../front-door/json-rpc.ts';
import { EventStream } from './event-stream.ts';

/** Streams of one session that are kept for a client that comes back. */
const maxKept = 16;

/** The streams of one session on this replica. */
export class SessionStreams {
  readonly #kept = new Map<string, EventStream>();
  readonly #listening: EventStream[] = [];
  readonly #onOutlet: (change: 1 | -1) => void;
  #read = 0;

  /** `onOutlet` is told when a stream gets a reader and when it loses it. */
  constructor(onOutlet: (change: 1 | -1) => void) {
    this.#onOutlet = onOutlet;
  }

  /** How many are read now. */
  get read(): number {
    return this.#read;
  }

  /** A stream for the answer to one request. */
  open(): EventStream {
    const stream = new EventStream((change) => {
      this.#read += change;
      this.#onOutlet(change);
    });
    this.#kept.set(stream.id, stream);
    this.#forget();
    return stream;
  }

  /** A stream for what the server says of its own accord. */
  listen(): EventStream {
    const stream = this.open();
    this.#listening.push(stream);
    return stream;
  }

  /** Says something on one of the streams that listen: the newest that is read, else the newest. */
  announce(message: RpcMessage): void {
    const stream = this.#listening.findLast(({ isRead }) => isRead) ?? this.#listening.at(-1);
    stream?.write(message);
  }

  /** Reads on after an event; `undefined` where that stream is not kept here. */
  resume(lastEventId: string): ReadableStream<Uint8Array> | undefined {
    const [id = '', number = ''] = lastEventId.split('.');
    return /^\d{1,9}$/.test(number) ? this.#kept.get(id)?.read(Number(number)) : undefined;
  }

  /** Ends them all. */
  end(): void {
    for (const stream of this.#kept.values()) stream.end();
    this.#kept.clear();
    this.#listening.length = 0;
  }

  /** Lets the oldest go that nobody reads; those with an answer to come only last. */
  #forget(): void {
    const spare = [...this.#kept.values()].filter(({ isRead }) => !isRead).slice(0, -1);
    const order = [...spare.filter(({ isOver }) => isOver), ...spare.filter(({ isOver }) => !isOver)];
    for (const stream of order.slice(0, Math.max(0, this.#kept.size - maxKept))) {
      stream.end();
      this.#kept.delete(stream.id);
      const at = this.#listening.indexOf(stream);
      if (at >= 0) this.#listening.splice(at, 1);
    }
  }
}
