const newline = 10;

/** Where a framed line goes. */
export interface LineSink {
  /** One line without its end; a carriage return may stand at its end. */
  line(text: string): void;
  /** A line that grew past the limit; its bytes are dropped up to the next line end. */
  tooLong(): void;
}

/**
 * Cuts bytes into lines. Works on bytes, so that a character cut in two by a chunk stays whole; holds at most
 * `maxBytes` of a line that has not ended.
 */
export function createLineFramer(
  maxBytes: number,
  sink: LineSink,
): { push(chunk: Buffer): void; end(): void } {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let dropping = false;

  function finish(): void {
    if (!dropping && heldBytes > 0) sink.line(Buffer.concat(held, heldBytes).toString('utf8'));
    held = [];
    heldBytes = 0;
    dropping = false;
  }

  function hold(part: Buffer): void {
    if (dropping || part.length === 0) return;
    if (heldBytes + part.length > maxBytes) {
      held = [];
      heldBytes = 0;
      dropping = true;
      sink.tooLong();
      return;
    }
    held.push(part);
    heldBytes += part.length;
  }

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        hold(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      hold(chunk.subarray(from));
    },
    end: finish,
  };
}
