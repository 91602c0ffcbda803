/** How many streams are read now, in all and by each principal, so that one can't take the place of all. */
export interface OpenStreams {
  readonly count: number;
  /** Whether this principal may read one more. */
  hasRoom(principal: string): boolean;
  change(principal: string, by: 1 | -1): void;
  /** Counts a response for as long as it is read, where it is a stream of events. */
  counted(principal: string, response: Response): Response;
}

/** Makes the counts of a server. */
export function createOpenStreams({
  maxStreams,
  maxStreamsOfEach,
}: {
  readonly maxStreams: number;
  readonly maxStreamsOfEach: number;
}): OpenStreams {
  const byPrincipal = new Map<string, number>();
  let count = 0;

  function change(principal: string, by: 1 | -1): void {
    count += by;
    const own = (byPrincipal.get(principal) ?? 0) + by;
    if (own === 0) byPrincipal.delete(principal);
    else byPrincipal.set(principal, own);
  }

  return {
    get count() {
      return count;
    },
    hasRoom: (principal) => count < maxStreams && (byPrincipal.get(principal) ?? 0) < maxStreamsOfEach,
    change,
    counted(principal, response) {
      const { body, headers, status } = response;
      if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true)
        return response;
      change(principal, 1);
      return new Response(
        toldOfEnd(body, () => change(principal, -1)),
        { status, headers },
      );
    },
  };
}

/** The same bytes; calls back once, when they end, break off or nobody reads them any more. */
function toldOfEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}
