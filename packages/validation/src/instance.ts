import type { Instance } from './check.ts';

/** The JSON an output is, whole or as exactly one fenced block with nothing but blanks around it. */
export function readInstance(output: string): Instance {
  const text = output.trim();
  return parse(text) ?? parse(fenced(text));
}

function parse(text: string | undefined): Instance {
  if (text === undefined) return undefined;
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    // Text that is not JSON is an expected outcome; running out of stack is not.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

// A second fence would stand inside the text, where it can't be JSON.
function fenced(text: string): string | undefined {
  const [opening = ''] = /^```(?:json)?[ \t]*\r?\n/i.exec(text) ?? [];
  if (opening === '' || !text.endsWith('\n```')) return undefined;
  return text.slice(opening.length, -4);
}
