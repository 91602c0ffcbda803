/** The texts of the editor for definitions. */
export const editorMessages = {
  page: {
    inSource: (source: string) => `In the source ${source}.`,
    newTitle: 'New workflow',
    newLead: 'The file is created when you save it.',
  },
  newFile: {
    source: 'Source',
    name: 'File',
    nameHint: 'my-workflow.yaml',
    nameRule: 'Lowercase letters, digits, dots and dashes, ending in .yaml or .json.',
    start: 'Start editing',
    noSource: 'No source is writable',
    noSourceNext: 'To save workflows here, start the server with --writable DIRECTORY.',
  },
  draft: {
    stepTitle: 'First step',
    stepPrompt: 'What to do.',
    name: 'New workflow',
    description: 'What it is for, and when to choose it.',
  },
  state: {
    readOnly: 'read only',
    valid: 'would be served',
    invalid: 'would not be served',
  },
  text: (file: string) => `Text of ${file}`,
  fix: 'Fix it',
  changes: 'Changes',
  review: 'Review and save',
  leave: 'Leave this page? Your changes are not saved.',
  checks: {
    running: 'Checking',
    label: 'Results',
    problems: (count: number) => (count === 0 ? 'Problems' : `Problems ${count}`),
    noProblems: 'No problems',
    graph: 'Graph',
    steps: 'Steps',
    simulate: 'Try it',
  },
  save: {
    title: (file: string) => `Save ${file}`,
    explanation: (source: string) =>
      `These changes will be saved in the source ${source}. Sessions that are already running keep the definition they started with.`,
    conflict: 'Somebody else changed the file while you were editing it',
    conflictNext: 'The changes below are compared with their text. Saving replaces it with yours.',
    invalid: 'The file was not saved, because it would not be served',
    failed: 'The file was not saved',
    submit: 'Save',
    cancel: 'Continue editing',
  },
} as const;
