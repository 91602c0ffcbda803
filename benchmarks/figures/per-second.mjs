/**
 * Returns the calls per second. The callers run in parallel, and each makes its calls one after the other.
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
