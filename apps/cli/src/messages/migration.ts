/** What `migrate` changed, and the texts that it writes into workflows. */
export const migrationMessages = {
  named: (noun: string, id: string) => `${noun} '${id}'`,
  unnamed: (noun: string, pointer: string) => `the ${noun} at ${pointer}`,
  applyInOrder: (names: readonly string[]) =>
    `Apply in this order: ${names.map((name) => `${name}()`).join(', ')}.`,
  apply: (call: string) => `Apply ${call}.`,
  functionsInGuidance: (step: string) => `${step} now has the functions it refers to in its guidance`,
  unusedFunctions: 'functions that no step refers to are now in metaGuidance',
  functionsRemoved:
    "'functionDefinitions' is removed: the functions are now in the guidance of the steps that refer to them",
  validationRemoved: (step: string) =>
    `'hasValidation' of ${step} is removed: the criteria alone define what is checked`,
  renamed: (from: string, step: string, to: string) => `'${from}' of ${step} is now '${to}'`,
  inGuidance: (from: string, step: string) => `'${from}' of ${step} is now part of its guidance`,
  removed: (from: string, step: string) => `'${from}' of ${step} is removed`,
  asksInstead: (removed: string, step: string) => `${removed}, and ${step} asks in the first iteration`,
  asks: (step: string) => `${step} asks for the confirmation of its loop`,
  note: (name: string, pointer: string) => `'${name}' at ${pointer} is now a note: 'x-${name}'`,
  fixed: (problem: string, how: string | undefined) => `${problem}: ${how ?? 'corrected'}`,
  unchanged: (file: string) => `${file} is unchanged`,
  changed: (file: string) => `${file} was changed`,
  wouldChange: (file: string) => `${file} would be changed`,
  byHand: 'To fix by hand:',
  write: (count: number) =>
    `--write writes ${count === 1 ? 'the change of one file' : `the changes of ${count} files`}.`,
} as const;
