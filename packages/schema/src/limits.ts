/** Largest definition that is read, in bytes of UTF-8; YAML aliases may not expand past it either. */
export const maxDefinitionBytes = 1_048_576;

/** Deepest nesting of objects and lists in a definition. */
export const maxDepth = 64;

/** Prompts longer than this, in UTF-16 units, get a lint warning. */
export const longPrompt = 2_000;
