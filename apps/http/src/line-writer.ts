/** Writes lines; those that come in one turn of the event loop together, for each write is a call of the system. */
export interface LineWriter {
  add(line: string): void;
  /** Writes at once what is held. */
  flush(): void;
}

/** Makes one. What ends the process must flush. */
export function createLineWriter(write: (text: string) => void): LineWriter {
  let held = '';
  function flush(): void {
    if (held !== '') write(held);
    held = '';
  }
  return {
    flush,
    add(line) {
      if (held === '') setImmediate(flush);
      held += line;
    },
  };
}
