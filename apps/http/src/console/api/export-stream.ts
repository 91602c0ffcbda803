/** Lines as the bytes of a response, as fast as they are read. */
export function exportStream(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const source = lines[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value.endsWith('\n') ? value : `${value}\n`));
    },
    async cancel() {
      await source.return?.();
    },
  });
}
