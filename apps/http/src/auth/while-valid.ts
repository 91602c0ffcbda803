/** How often the credential is checked again while a call waits or a stream is open. */
const checkMs = 2_000;

interface WhileValidOptions {
  /** Whether the credential still counts. A check that fails says nothing, so it must not end anything. */
  isValid(): Promise<boolean>;
  /** Makes the response for a credential that no longer counts. */
  refuse(): Response;
}

/**
 * Returns a response, or refuses it if the credential of its request is revoked or expires before it is there. An event
 * stream ends when that happens later.
 */
export async function whileValid(
  response: Promise<Response>,
  { isValid, refuse }: WhileValidOptions,
): Promise<Response> {
  const over = new AbortController();
  const check = async (): Promise<void> => {
    if (!(await isValid())) over.abort();
  };
  const timer = setInterval(() => void check(), checkMs).unref();
  const stop = (): void => clearInterval(timer);
  over.signal.addEventListener('abort', stop);
  const refused = new Promise<undefined>((resolve) => {
    over.signal.addEventListener('abort', () => resolve(undefined));
  });
  try {
    const found = await Promise.race([response, refused]);
    if (found === undefined) {
      // Nobody reads the late reply, so a stream in it must not stay open.
      response.then((late) => late.body?.cancel()).catch(() => undefined);
      return refuse();
    }
    const { body, headers, status } = found;
    if (body !== null && headers.get('content-type')?.startsWith('text/event-stream') === true)
      return new Response(until(over.signal, body, stop), { status, headers });
    stop();
    return found;
  } catch (error) {
    stop();
    throw error;
  }
}

/** Returns the same stream, which also ends when the signal fires. Calls `onEnd` at its end. */
function until(
  signal: AbortSignal,
  body: ReadableStream<Uint8Array>,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    start() {
      signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done && !signal.aborted) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
}
