/** The number of functions in the result. */
const shown = 15;

/** The entries of a profile for the time in which the process waits. */
const waiting = new Set(['(idle)', '(program)', '(root)']);

/**
 * Returns the functions with the most self time in a V8 profile, in percent of the time that was not spent waiting.
 *
 * @param {{ nodes: readonly any[], samples: readonly number[], timeDeltas: readonly number[] }} profile
 */
export function profiledTime({ nodes, samples, timeDeltas }) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const spent = new Map();
  for (const [at, id] of samples.entries()) {
    const name = names.get(id);
    if (!waiting.has(name)) spent.set(name, (spent.get(name) ?? 0) + timeDeltas[at]);
  }
  const all = [...spent.values()].reduce((sum, micros) => sum + micros, 0);
  const largest = [...spent].toSorted(([, one], [, other]) => other - one).slice(0, shown);
  const lines = largest.map(
    ([name, micros]) => `${((micros / all) * 100).toFixed(1).padStart(5)} %  ${name}`,
  );
  return [`${(all / 1000).toFixed(0)} ms of work, of which:`, ...lines].join('\n');
}

function nameOf({ functionName, url, lineNumber }) {
  const file = url.split('/').slice(-2).join('/');
  return `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`;
}
