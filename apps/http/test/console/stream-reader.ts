import type { ChangeEvents } from '@workflowlookup/console/contract';

/** An event of a stream. */
interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Reads the events that the server sends to a page. */
export interface StreamReader {
  /** Returns the next event of this name, and skips the events before it. */
  next<Name extends keyof ChangeEvents>(name: Name): Promise<ChangeEvents[Name]>;
  /** Resolves when the server has ended the stream. */
  ended(): Promise<void>;
  leave(): Promise<void>;
}

/** Reads the events of a response. */
export function readStream({ body }: Response): StreamReader {
  if (body === null) throw new Error('there is no stream');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';

  async function read(): Promise<StreamEvent | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const field = (name: string): string =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
        if (field('event') !== '')
          return { event: field('event'), data: JSON.parse(field('data')) as unknown };
        continue;
      }
      const { done, value = '' } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  }

  return {
    async next(name) {
      for (;;) {
        const heard = await read();
        if (heard === undefined) throw new Error(`the stream ended without ${name}`);
        if (heard.event === name) return heard.data as never;
      }
    },
    async ended() {
      while ((await read()) !== undefined);
    },
    leave: () => reader.cancel(),
  };
}
