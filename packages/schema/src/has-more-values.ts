const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const bracket = 0x5b;
const brace = 0x7b;

/**
 * Whether a JSON text has more values than that, give or take the outermost. Parsing takes far longer for each value than
 * for each character, so a message from outside is counted before it is parsed. Exact for valid JSON.
 */
export function hasMoreValues(text: string, most: number): boolean {
  // Every value but the last has at least one character and a comma or bracket.
  if (text.length <= most) return false;
  let values = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) isInText = !isInText;
    else if (!isInText && (code === comma || code === bracket || code === brace)) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}
