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
