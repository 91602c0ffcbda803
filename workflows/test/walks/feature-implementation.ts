import { json, labels } from '../output.ts';
import type { WorkflowWalks } from '../walk.ts';

const export1 = {
  id: 'csv-export',
  goal: 'A report can be exported as CSV from the command line',
  criteria: ['AC1'],
  files: ['src/report.ts'],
  check: 'npm test -- report',
  testFirst: true,
};
const export2 = {
  ...export1,
  id: 'big-reports',
  goal: 'A report of a million rows is streamed',
  criteria: ['AC2'],
};
const setting = { ...export1, id: 'setting', goal: 'The separator can be configured', testFirst: false };

/** Walks and samples of feature-implementation. */
export const featureImplementation: WorkflowWalks = {
  id: 'feature-implementation',
  walks: [
    {
      name: 'a small change without questions',
      steps: [
        ['frame-request', { hasOpenQuestions: false }],
        ['read-the-code', { size: 'small', risk: 'low', userVisible: false }],
        'record-baseline',
        ['plan-slices', { slices: [setting] }],
        'each-slice@0::implement-slice',
        ['each-slice@0::verify-slice', { sliceGreen: true }],
        'check-acceptance',
        ['review-own-diff', { mustFix: 0 }],
        'hand-over',
      ],
    },
    {
      name: 'a large, risky change with questions, a slice that stays red and findings',
      steps: [
        ['frame-request', { hasOpenQuestions: true }],
        'ask-open-questions',
        ['read-the-code', { size: 'large', risk: 'high', userVisible: true }],
        'record-baseline',
        'choose-design',
        ['plan-slices', { slices: [export1, export2] }],
        'each-slice@0::write-failing-test',
        'each-slice@0::implement-slice',
        ['each-slice@0::verify-slice', { sliceGreen: false }],
        ['each-slice@0::repair-slice@0::fix-slice', { sliceGreen: true }],
        'each-slice@1::write-failing-test',
        'each-slice@1::implement-slice',
        ['each-slice@1::verify-slice', { sliceGreen: false }],
        'each-slice@1::repair-slice@0::fix-slice',
        'each-slice@1::repair-slice@1::fix-slice',
        'each-slice@1::repair-slice@2::fix-slice',
        'each-slice@1::repair-slice@3::fix-slice',
        'each-slice@1::slice-stuck',
        'check-acceptance',
        ['review-own-diff', { mustFix: 2 }],
        ['resolve-review@0::resolve-findings', { mustFix: 1 }],
        ['resolve-review@1::resolve-findings', { mustFix: 0 }],
        'update-docs',
        'hand-over',
      ],
    },
    {
      name: 'a large change of low risk',
      steps: [
        ['frame-request', { hasOpenQuestions: false }],
        ['read-the-code', { size: 'large', risk: 'low', userVisible: true }],
        'record-baseline',
        'choose-design',
        ['plan-slices', { slices: [export1, setting] }],
        'each-slice@0::write-failing-test',
        'each-slice@0::implement-slice',
        ['each-slice@0::verify-slice', { sliceGreen: true }],
        'each-slice@1::implement-slice',
        ['each-slice@1::verify-slice', { sliceGreen: true }],
        'check-acceptance',
        ['review-own-diff', { mustFix: 0 }],
        'update-docs',
        'hand-over',
      ],
    },
    {
      name: 'findings that outlast three rounds',
      steps: [
        ['frame-request', { hasOpenQuestions: false }],
        ['read-the-code', { size: 'medium', risk: 'low', userVisible: false }],
        'record-baseline',
        ['plan-slices', { slices: [setting] }],
        'each-slice@0::implement-slice',
        ['each-slice@0::verify-slice', { sliceGreen: true }],
        'check-acceptance',
        ['review-own-diff', { mustFix: 4 }],
        ['resolve-review@0::resolve-findings', { mustFix: 3 }],
        ['resolve-review@1::resolve-findings', { mustFix: 2 }],
        ['resolve-review@2::resolve-findings', { mustFix: 1 }],
        'hand-over',
      ],
    },
  ],
  samples: {
    'frame-request': {
      good: labels({
        Request: 'People who run the nightly report want it as CSV, to open it in a spreadsheet.',
        'Acceptance criteria':
          'AC1 Given a report, `report --csv` prints one header line and one line per row. AC2 With a million rows the process stays under 200 MB. AC3 An unknown report name ends with exit code 2 and the name.',
        'Out of scope': 'Excel files, a choice of columns.',
        Questions: 'none',
      }),
      bad: 'I understand the request: we need a CSV export that works properly and is user-friendly. I will now look at the code and implement it together with an Excel export, since that is easy to add. '.repeat(
        2,
      ),
    },
    'ask-open-questions': {
      good: labels({
        Question: 'Which separator do the spreadsheets of the users expect?',
        Answer: 'Semicolon, says the finance team.',
        'Changed criteria': 'AC1 now names the semicolon.',
      }),
      bad: 'I assumed a comma, which is the usual choice.',
    },
    'read-the-code': {
      good: [
        labels({
          'Entry points': 'src/cli.ts:40 parses the arguments and calls the report.',
          'Closest existing feature':
            'the JSON output: src/cli.ts:52, src/report.ts:18, src/json-writer.ts:7.',
          'Touched by this change': 'src/report.ts, used by src/cli.ts and src/mail.ts.',
          Conventions:
            'writers are functions over an async iterable, see src/json-writer.ts:7; errors go through fail() in src/fail.ts:3.',
          Commands: 'npm run build, npm test, both from CONTRIBUTING.md:12.',
        }),
        labels({
          Greenfield:
            'there is no code yet; the team agreed on TypeScript, one package, vitest, and errors as values. Files are named after their export. Reports are read from Postgres by plain SQL, because nobody wants to maintain a mapper. The command line follows the other tools of the team: long options only, exit code 2 for wrong usage.',
          Commands: 'npm test, to be set up in the first slice.',
        }),
      ],
      bad: 'I looked at the code base. It is a well structured command line tool with a modular design, so the feature fits in easily. '.repeat(
        4,
      ),
    },
    'record-baseline': {
      good: labels({
        Commit: '4f2c9aa, clean',
        Command: 'npm test',
        Result: 'exit 0, 212 passed',
        'Already failing': 'none',
      }),
      bad: 'The tests should all pass at the moment.',
    },
    'choose-design': {
      good: labels({
        'Option A':
          'A second writer beside the JSON writer. Touches src/cli.ts and one new file; a third format will repeat the loop over the rows.',
        'Option B':
          'A table of formats with one driver. Touches every caller of the JSON writer now; the next format is one entry.',
        Choice: 'A, because there are two formats and no third is planned.',
        'Rejected because': 'B changes the mail report, which nobody asked for.',
        Rollback: 'the option is removed; nothing is stored.',
        Unproven: 'that the database driver can stream; tried in the first slice.',
      }),
      bad: 'Option A is to add a writer. This is clean and follows best practice. Choice: option A. It is extensible, maintainable and robust, so there is no need to look at other designs. '.repeat(
        3,
      ),
    },
    'plan-slices': {
      good: json({ slices: [export1, export2] }),
      bad: [
        json({ slices: [{ id: 'all', goal: 'Do everything' }] }),
        json({ slices: [] }),
        json({ slices: [export1] }),
      ],
    },
    'write-failing-test': {
      good: labels({
        Tests: 'report.test.ts "prints a header and a row", would catch a missing header.',
        Command: 'npx vitest run report',
        'Fails with': 'Error: unknown option --csv',
      }),
      bad: 'Tests: I added tests for the export.',
    },
    'implement-slice': {
      good: labels({
        Changed: 'src/csv-writer.ts: writes rows as CSV',
        'Reached from': 'src/cli.ts:58',
        Noticed: 'the JSON writer never flushes',
      }),
      bad: 'The slice is implemented as planned and looks good.',
    },
    'verify-slice': {
      good: labels({
        Command: 'npm test -- report; npm run typecheck',
        Result: 'exit 0, 9 passed; exit 0',
        'New failures': 'none',
        'Tests changed': 'none',
      }),
      bad: 'All tests pass now, I adapted two assertions that were too strict.',
    },
    'fix-slice': {
      good: labels({
        Cause: 'the header is written after the first await; a log line shows the order',
        Fix: 'src/csv-writer.ts:14',
        Result: 'npm test -- report: exit 0, 9 passed',
      }),
      bad: 'I increased the timeout and it passed.',
    },
    'slice-stuck': {
      good: labels({
        'Still failing': 'heap out of memory at 800,000 rows',
        Tried: 'smaller batches: rules out the batch size',
        Choices: 'another driver, or a limit; I recommend the limit',
        Decision: 'a limit of 500,000 rows for now (product owner)',
      }),
      bad: 'It still fails, going on with the next slice.',
    },
    'check-acceptance': {
      good: labels({
        AC1: 'met - `report --csv sales` printed "date;amount" and 31 rows',
        AC2: 'met - /usr/bin/time shows 143 MB for a million rows',
        AC3: 'not tried - needs the production names, the operator can',
        Remaining: 'AC3, by the operator',
      }),
      bad: 'All acceptance criteria have been implemented and verified by the unit tests, which are green. The feature is complete and ready for production use by everybody.',
    },
    'review-own-diff': {
      good: labels({
        Diff: 'git diff 4f2c9aa: 5 files, 120 added, 3 removed',
        Findings:
          'must-fix src/csv-writer.ts:22 quotes inside a value are not doubled, so the column count changes. optional src/cli.ts:58 the name csv2 says nothing. The rest was read line by line.',
      }),
      bad: 'I reviewed my changes carefully. The code is clean, well tested and follows the conventions of the project. There are no problems that I could find in it. Findings: none, everything is fine with the change.',
    },
    'resolve-findings': {
      good: labels({
        'Finding 1': 'fixed src/csv-writer.ts:22 quotes are doubled',
        Command: 'npm test',
        Result: 'exit 0, 215 passed',
        Left: '0',
      }),
      bad: 'Addressed the feedback.',
    },
    'update-docs': {
      good: labels({
        'Searched for': '--json, "report format"',
        Updated: 'README.md: names --csv and the separator',
        'Examples run': '`report --csv sales`, 31 rows',
        'Left alone': 'docs/mail.md',
      }),
      bad: 'Documentation was updated where needed.',
    },
    'hand-over': {
      good: labels({
        Summary: 'A report can be printed as CSV with `report --csv`.',
        State: 'branch csv-export at 91bd0c2, clean',
        'Verified by':
          'npm run build exit 0, npm test exit 0 with 215 passed; AC1 and AC2 met on the running program',
        'Not verified': 'AC3, which needs the production names',
        'Not done': 'the JSON writer never flushes; noted for a change of its own',
        'Take back': 'revert the merge; nothing is stored',
      }),
      bad: 'Summary: the feature is done and all tests pass. It was implemented in a clean way, with good test coverage and updated documentation. Everything works as expected and the branch can be merged at any time. Let me know if anything else is needed!',
    },
  },
};
