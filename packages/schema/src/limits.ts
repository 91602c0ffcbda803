/** Largest definition that is read, in bytes of UTF-8; YAML aliases may not expand past it either. */
export const maxDefinitionBytes = 1_048_576;

/** Deepest nesting of objects and lists in a definition. */
export const maxDepth = 64;

/** Most values (JSON) or tokens (YAML) in a definition: bounds the time a hostile document takes, far above any real one. */
export const maxDefinitionValues = 100_000;

/** Most issues a reading reports; what is left out is counted in the last one. */
export const maxIssues = 100;

/** Longest prompt without a lint warning, in characters. */
export const longPromptLength = 2_000;
