/** Runs a task for every item, at most `limit` at a time. A task that rejects stops the rest from being started. */
export async function forEachLimit<T>(
  items: Iterable<T>,
  limit: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  async function work(): Promise<void> {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await task(next.value);
  }
  await Promise.all(Array.from({ length: limit }, work));
}
