/** Lets one who waits go on early. */
export interface Alarm {
  goOff(): void;
  /** True once it went off since the last time, false when nothing happened for so long. */
  wait(ms: number): Promise<boolean>;
}

/** Makes one that is quiet. */
export function createAlarm(): Alarm {
  let isOff = false;
  let wake = (): void => undefined;
  return {
    goOff() {
      isOff = true;
      wake();
    },
    async wait(ms) {
      if (!isOff) await new Promise<void>((resolve) => void (wake = endable(resolve, ms)));
      const was = isOff;
      isOff = false;
      return was;
    },
  };
}

/** Calls back after so long, or when what it gives is called. */
function endable(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => {
    clearTimeout(timer);
    callback();
  };
}
