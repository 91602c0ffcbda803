import type { Caller } from '@workflowlookup/core';
import type { BackendLink } from '../front-door/backend-link.ts';
import type { Decoded, DecodedText } from '../front-door/decode.ts';
import type { FrontDoor, Sender } from '../front-door/front-door.ts';
import type { RpcReply } from '../front-door/json-rpc.ts';
import { streamsPrimed } from '../versions.ts';
import type { EventStream } from './event-stream.ts';
import type { Accepted, Reply } from './replies.ts';
import { jsonReply, streamReply, taken } from './replies.ts';
import type { SessionStreams } from './session-streams.ts';

/** What a live session is made of. */
export interface LiveSessionParts {
  readonly version: string;
  readonly door: FrontDoor;
  readonly backend: BackendLink;
  readonly streams: SessionStreams;
}

/** A legacy session as this replica knows it: its door, its streams, and what is under way. */
export class LiveSession {
  readonly #parts: LiveSessionParts;
  readonly #underWay = new Set<Promise<void>>();

  constructor(parts: LiveSessionParts) {
    this.#parts = parts;
  }

  /** Whether nothing would be lost by forgetting it now, but streams to come back to. */
  get isQuiet(): boolean {
    return this.#underWay.size === 0 && this.#parts.streams.read === 0;
  }

  /**
   * Takes what was posted. The answer is one JSON body, unless the client is told something on the way or has to wait for
   * a person: then it becomes a stream.
   */
  post(decoded: DecodedText, caller: Caller, accepted: Accepted): Promise<Reply> {
    if (!asksForAnswer(decoded)) {
      void this.#parts.door.take(decoded, { caller });
      return Promise.resolve(taken);
    }
    return this.#answer(decoded, caller, accepted);
  }

  #answer(decoded: DecodedText, caller: Caller, accepted: Accepted): Promise<Reply> {
    return new Promise((resolve, reject) => {
      let stream: EventStream | undefined;
      const openStream = (): EventStream => {
        if (stream === undefined) {
          stream = this.#primed(this.#parts.streams.open());
          resolve(streamReply(stream.read()));
        }
        return stream;
      };
      if (!accepted.json) openStream();
      const sender: Sender = {
        caller,
        canBeAsked: accepted.stream,
        ...(accepted.stream && {
          write: (message) => openStream().write(message),
          onWait: () => void openStream(),
        }),
      };
      const carryOut = async (): Promise<void> => {
        const answer = await this.#parts.door.take(decoded, sender);
        if (stream === undefined) resolve(replyOf(answer, decoded));
        else finish(stream, answer);
      };
      const carrying = carryOut().catch(reject);
      this.#underWay.add(carrying);
      void carrying.finally(() => this.#underWay.delete(carrying));
    });
  }

  #primed(stream: EventStream): EventStream {
    if (this.#parts.version >= streamsPrimed) stream.prime();
    return stream;
  }

  /** Opens a stream for what the server says of its own accord, or the rest of one that was lost. */
  listen(lastEventId: string | null): Reply {
    const { streams } = this.#parts;
    const rest = lastEventId === null ? undefined : streams.resume(lastEventId);
    if (rest !== undefined) return streamReply(rest);
    return streamReply(this.#primed(streams.listen()).read());
  }

  /** Answers what is under way, ends its streams and lets it go. */
  async close(): Promise<void> {
    await this.#parts.door.drain();
    await Promise.all(this.#underWay);
    this.#parts.streams.end();
    await this.#parts.backend.close();
  }
}

type Answer = RpcReply | readonly RpcReply[] | undefined;

function asksForAnswer(decoded: DecodedText): boolean {
  const asks = ({ kind }: Decoded): boolean => kind === 'request' || kind === 'invalid';
  // A batch is judged by the door, which may refuse it whole.
  return decoded.kind === 'batch' || asks(decoded);
}

function replyOf(answer: Answer, decoded: DecodedText): Reply {
  if (answer === undefined) return taken;
  const isRefused = decoded.kind === 'invalid' || (decoded.kind === 'batch' && !Array.isArray(answer));
  return jsonReply(answer, isRefused ? 400 : 200);
}

function finish(stream: EventStream, answer: Answer): void {
  for (const reply of answer === undefined ? [] : [answer].flat()) stream.write(reply);
  stream.end();
}
