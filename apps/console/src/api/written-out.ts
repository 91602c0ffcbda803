import { writeOutHidden } from '@workflowlookup/schema';

/**
 * Data with the hidden characters of all its texts and names written out as `\u{…}`. Agents write most of what a run has, and
 * such characters would change how the page shows the text around them.
 */
export function writtenOut<Value>(data: Value): Value {
  return changed(data) as Value;
}

function changed(data: unknown): unknown {
  if (typeof data === 'string') return writeOutHidden(data);
  if (Array.isArray(data)) return data.map(changed);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [writeOutHidden(name), changed(value)]),
  );
}
