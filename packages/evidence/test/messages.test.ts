import { expect, test } from 'vitest';
import { messageTexts } from '../../../test/message-texts.ts';
import { checkReasons, reportMessages, stateReasons } from '../src/messages.ts';

test('the reasons why evidence fails read like this', () => {
  const command = 'workflowlookup checks trust';
  const texts = messageTexts(
    { reportMessages, checkReasons, stateReasons },
    {
      reportMessages: {
        missing: [['junit', 'reports/junit.xml']],
        tooMany: [['reports/*.xml', 5010, 5000]],
        left: [['reports/junit.xml']],
        unreadable: [['sarif', 'reports/lint.sarif']],
      },
      checkReasons: {
        untrusted: [[command]],
        changed: [[command]],
        invalid: [["line 2: Missing required property 'run'"]],
        fileRemoved: [[]],
        notConfigured: [['test']],
        noRepository: [[]],
        exitCode: [[1]],
        endedBy: [['SIGSEGV']],
        timeout: [['10m']],
        cancelled: [[]],
        tooMuchOutput: [[]],
        notStarted: [[]],
        failures: [
          [3, 57, ['cart › adds twice']],
          [1, 57, ['cart › adds twice']],
          [1, 57, []],
        ],
        noTests: [[]],
        noCounts: [[]],
        tooFewTests: [[3, 10]],
        fewerTests: [[54, 57, 'test']],
        errors: [[2, 0]],
        noCoverage: [[]],
        lowCoverage: [[71.5, 80]],
        filesChanged: [[['src/cart.ts']]],
        notCommitted: [[['src/cart.ts', '3 more']]],
      },
      stateReasons: {
        notAhead: [['main']],
        notBased: [['main']],
        unknownRef: [['mian']],
        outside: [[['package.json'], ['src/**']]],
        noFile: [['docs/plan.md']],
        outsideFolder: [['../plan.md']],
        tooSmall: [['docs/plan.md', 12, 200]],
      },
    },
  );
  expect(texts).toMatchSnapshot();
});
