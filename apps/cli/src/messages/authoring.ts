export const initMessages = {
  nameId: 'The new workflow needs an id because standard input is not a terminal. Example: --id tea-time',
  idTaken: (id: string, file: string) =>
    `'${file}' already has the id '${id}'. Nothing was written. Choose another id.`,
  noTemplate: (name: string, names: string) =>
    `There is no template '${name}' of this kind. Use one of: ${names}.`,
  invalidId: (id: string) =>
    `'${id}' is not a valid id. An id has 3 to 64 lowercase letters, digits and dashes. Example: tea-time`,
  invalidTitle: 'A title must have 1 to 128 characters in one line.',
  cancelled: 'Cancelled. Nothing was written.',
  intro: 'A new workflow',
  whichKind: 'Which kind of workflow?',
  stepKind: 'Step workflow',
  stepHint: 'one file, steps in order',
  activityKind: 'Activity workflow',
  activityHint: 'a folder, activities joined by transitions',
  whichTemplate: 'Which template?',
  whichId: 'Id of the workflow?',
  whichTitle: 'Title of the workflow?',
  made: (id: string) => `Made '${id}':`,
  otherSchema: (path: string) =>
    `'${path}' comes from another version and was not changed. To update it, delete it and run this command again.`,
  trustFolder: (folder: string) =>
    `Agents get only workflows that a person trusts. If you trust the folder '${folder}', they also get every later change of its workflows. You are then asked again only about a workflow that replaces one that comes with the server or one in your home directory.`,
  awaitsTrust: (source: string) =>
    `A workflow from ${source} has the same id and is served until you agree to replace it: workflowlookup trust`,
  overrides: (source: string) => `It overrides the workflow with the same id from ${source}.`,
  served: (id: string) => `Agents can use this workflow now. See it: workflowlookup show ${id}`,
  trustToServe: (folder: string) =>
    `Agents get it as soon as you trust it at a terminal: workflowlookup trust. If only you write to this folder: workflowlookup trust --folder ${folder}`,
  addSource: (folder: string) => `To serve it, start the server with --workflows ${folder}`,
} as const;

export const convertMessages = {
  unknownNotation: (name: string) => `'${name}' is not a .json, .yaml, .yml or .toon file.`,
  sameNotation: (name: string) => `'${name}' is already written in that notation.`,
  toonStepWorkflow: (name: string) =>
    `'${name}' is a step workflow, which must be JSON or YAML. Servers read TOON only in the folders of activity workflows.`,
  wroteFolder: (path: string, count: number) => `Wrote ${path}. ${count} of its files were converted.`,
  notSame: (name: string, why: string) =>
    `'${name}' was not converted because the result would be a different workflow.${why === '' ? '' : ` ${why}.`}`,
  noWorkflowFile: (name: string) =>
    `'${name}' has no workflow file. Name a file, or the folder of an activity workflow.`,
  nameOutput: 'Name the folder to write to. Example: --out ./converted/my-flow',
  outputInside: (out: string, name: string) =>
    `'${out}' is inside '${name}'. Name a folder outside it with --out.`,
  invalid: (name: string, message: string, line: number, column: number) =>
    `'${name}' can't be read: ${message} (${line}:${column}).`,
  wouldLose: (name: string, what: string) =>
    `'${name}' was not converted because something would be lost: ${what}.`,
  unreadable: 'the reason is unknown',
  tooManyDigits: (pointer: string) => `'${pointer}' is a number with too many digits`,
  cantExpress: (notation: string, reason: string) => `${notation} can't express all of it (${reason})`,
  cantExpressAt: (notation: string, pointer: string, reason: string) =>
    `${notation} can't express '${pointer}': ${reason}`,
  readsBack: (notation: string, pointer: string) => `${notation} reads '${pointer}' back as another value`,
  comments: (count: number, line: number) =>
    `${count === 1 ? 'a comment' : `${count} comments, the first`} on line ${line} (--drop-comments leaves comments out)`,
} as const;

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

export const lintMessages = {
  noProblems: (workflows: string) => `Checked ${workflows}: no problems.`,
  problems: (errors: string, warnings: string, workflows: string, fixable: number) =>
    `${errors} and ${warnings} in ${workflows}.${fixable === 0 ? '' : ` --fix can fix ${fixable} of them.`}`,
  help: 'help:',
} as const;

export const testMessages = {
  failed: 'failed',
  entered: (names: readonly string[]) => `It entered ${names.length === 0 ? 'nothing' : names.join(', ')}.`,
  passed: (passed: number, tests: number) => `${passed} of ${tests}`,
  reached: (steps: string, branches: string) => `${steps} of steps, ${branches} of branches`,
  notExplored: 'not fully explored',
  limit: (workflow: string, limit: string) => `Not all of '${workflow}' was explored. ${limit}`,
  summary: (tests: string, problems: number, workflows: string) =>
    `${tests === '' ? 'No tests' : tests}; ${problems === 0 ? 'no' : problems} problem${problems === 1 ? '' : 's'} in ${workflows}.`,
  notRun: 'not run',
  brokenWorkflow: 'Its workflow has errors.',
  noTestRun: 'No test was run',
  writeTests: 'Write tests beside it',
  lowCoverage: (steps: number, branches: number, required: number) =>
    `The tests cover ${steps} % of the steps and ${branches} % of the branches, and ${required} % are required`,
  testMissed: (names: readonly string[], more: number) =>
    `Test what they miss: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  conditionFalse: (condition: string) => `'${condition}' when it does not hold`,
  borrowed: (activity: string, message: string) => `Borrowed activity '${activity}': ${message}`,
  unknownWorkflow: (workflow: string) =>
    `These are tests of '${workflow}', which is not among the definitions here`,
  nameWorkflow: "Name the workflow under 'workflow', or move the tests beside it",
  leavesSource: (path: string) => `'${path}' is a symbolic link that leaves its source`,
  copyFile: 'Copy the file into the source',
  unreadable: (path: string, code: string) => `'${path}' can't be read (${code})`,
  letRead: 'Let this user read it',
} as const;
