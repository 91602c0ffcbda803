import { randomBytes } from 'node:crypto';
import type { RpcMessage } from '../front-door/json-rpc.ts';

/** How much of a stream is kept for a client that lost it: so many events, and so many characters. */
const maxKept = { events: 256, characters: 1_000_000 };

/** A reader that lets this much pile up is let go; it finds what it missed when it comes back. */
const maxBehindBytes = 4_000_000;

/** How often a silent stream shows that it is alive. */
const beatMs = 15_000;

const encoder = new TextEncoder();

/** One stream of server-sent events: outlives the connection it is read by, so that a client can come back to it. */
export class EventStream {
  readonly id: string = randomBytes(9).toString('base64url');
  readonly #onOutlet: (change: 1 | -1) => void;
  readonly #kept: { readonly number: number; readonly text: string }[] = [];
  #characters = 0;
  #count = 0;
  #isOver = false;
  #outlet: ReadableStreamDefaultController<Uint8Array> | undefined;
  #beat: NodeJS.Timeout | undefined;

  /** `onOutlet` is told when a reader comes and when it goes. */
  constructor(onOutlet: (change: 1 | -1) => void) {
    this.#onOutlet = onOutlet;
  }

  /** Whether nothing more will be written. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether somebody reads it now. */
  get isRead(): boolean {
    return this.#outlet !== undefined;
  }

  /** Writes an event without data, whose id a client can come back with. */
  prime(): void {
    this.#add('');
  }

  write(message: RpcMessage | readonly RpcMessage[]): void {
    this.#add(JSON.stringify(message));
  }

  /** Says that nothing more will be written. */
  end(): void {
    this.#isOver = true;
    this.#letGo();
  }

  /** Reads on after the event with that number; a reader before is let go. */
  read(after = 0): ReadableStream<Uint8Array> {
    this.#letGo();
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
          if (this.#outlet === own) this.#detach();
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
    const outlet = this.#outlet;
    outlet?.enqueue(encoder.encode(text));
    if ((outlet?.desiredSize ?? 0) < -maxBehindBytes) this.#letGo();
  }

  #attach(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#outlet = controller;
    this.#beat = setInterval(() => this.#send(': alive\n\n'), beatMs).unref();
    this.#onOutlet(1);
  }

  #letGo(): void {
    const outlet = this.#outlet;
    this.#detach();
    outlet?.close();
  }

  #detach(): void {
    if (this.#outlet === undefined) return;
    clearInterval(this.#beat);
    this.#outlet = undefined;
    this.#onOutlet(-1);
  }
}
