/**
 * Runs the contestants in turn (ours, baseline, ours, …), so that other load on the machine affects all of them
 * equally. The first rounds fill caches and are not counted.
 *
 * @template T
 * @param {Readonly<Record<string, () => Promise<T>>>} contestants
 * @param {{ readonly rounds: number, readonly warmUp: number }} plan
 * @returns {Promise<Record<string, T[]>>} each contestant's results, one for each round
 */
export async function interleave(contestants, { rounds, warmUp }) {
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1)
    for (const [name, run] of Object.entries(contestants)) {
      const result = await run();
      if (round >= 0) results[name].push(result);
    }
  return results;
}
