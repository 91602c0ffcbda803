import type { Json } from '@workflowlookup/schema';

/** Characters of a text, and entries of a list, that a page of many questions shows of each. */
const mostChars = 2_000;
const mostEntries = 100;

/** Plain data with its long texts and lists cut off. It is the same object where nothing was. */
export function shortenTexts<Data>(data: Data): Data {
  return cut(data) as Data;
}

function cut(data: unknown): unknown {
  if (typeof data === 'string') return data.length > mostChars ? `${data.slice(0, mostChars)}…` : data;
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) {
    const entries = data.slice(0, mostEntries).map(cut);
    return entries.length === data.length && entries.every((entry, at) => entry === data[at])
      ? (data as unknown)
      : entries;
  }
  const fields = Object.entries(data);
  const shortened = fields.map(([name, value]): [string, unknown] => [name, cut(value)]);
  return shortened.every(([, value], at) => value === fields[at]?.[1]) ? data : Object.fromEntries(shortened);
}

/** A value, or the beginning of its JSON where that is long. */
export function shortenValue(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length > mostChars ? `${text.slice(0, mostChars)}…` : value;
}
