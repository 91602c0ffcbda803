/**
 * How many calls a second are done when each of the callers sends one after the other, all at once.
 *
 * @param {readonly ((turn: number) => unknown)[]} callers
 * @param {number} count
 */
export async function perSecond(callers, count) {
  const turns = Array.from({ length: count }).keys();
  const from = performance.now();
  await Promise.all(
    callers.map(async (call) => {
      for (const turn of turns) await call(turn);
    }),
  );
  return (count * 1000) / (performance.now() - from);
}
