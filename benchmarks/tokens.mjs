/** How many tokens of the o200k encoding a text has. */
export async function countTokens(text) {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base');
  return count(text);
}
