// Reads outputs that are JSON, alone or as one fenced block.

/** Returns a text without the fence around it. JSON can't contain a second fence. */
export function unfenced(output: string): string {
  const text = output.trim();
  const [opening = ''] = /^```(?:json)?[ \t]*\r?\n/i.exec(text) ?? [];
  if (opening === '' || !text.endsWith('\n```')) return text;
  return text.slice(opening.length, -4).trim();
}

/** Returns the value of a JSON text, or why the text is not JSON. */
export function readJson(text: string): { readonly json: unknown } | { readonly problem: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: error.message };
  }
}

/**
 * Returns whether a JSON text has more levels than this. Brackets are counted before parsing, because parsing and
 * walking millions of levels would take seconds and overflow the stack.
 */
export function isNestedDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= most; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
  }
  return depth > most;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
