import { expect, test } from 'vitest';
import { messageTexts } from '../../../test/message-texts.ts';
import {
  checkReasons,
  githubReasons,
  reportMessages,
  stateReasons,
  statementMessages,
} from '../src/messages.ts';

test('the reasons why evidence fails read like this', () => {
  const command = 'workflowlookup checks trust';
  const texts = messageTexts(
    { reportMessages, checkReasons, stateReasons, githubReasons, statementMessages },
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
        statedAsFailed: [[]],
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
      githubReasons: {
        noToken: [[]],
        notEncrypted: [[]],
        noRepository: [[]],
        noRun: [['ci / test', '8f3c2a1']],
        concluded: [['ci / test', 'failure']],
        pending: [['ci / test', 'in_progress']],
        noCounts: [[]],
        tokenRefused: [[]],
        noAccess: [['ada/cart']],
        unknownCommit: [['8f3c2a1', 'ada/cart']],
        limited: [['2030-01-31T09:00:00.000Z'], [undefined]],
        unreachable: [[]],
        failed: [[418]],
      },
      statementMessages: {
        tooLong: [[262_144]],
        notAnEnvelope: [[]],
        notBase64: [[]],
        otherPayload: [['text/plain', 'application/vnd.in-toto+json']],
        otherPredicate: [
          ['https://slsa.dev/provenance/v1', 'https://in-toto.io/attestation/test-result/v0.1'],
        ],
        notAStatement: [[]],
        unknownKey: [[[]], [['ci', 'nightly']]],
        keyUnreadable: [['ci.pub', 'ENOENT']],
        notAKey: [['ci.pub']],
        otherKeyType: [['ci.pub', 'rsa']],
        publicForSigning: [['ci.pub']],
        privateForTrust: [['ci.key']],
        noCheck: [
          ['test', undefined],
          ['test', "line 2: Missing required property 'run'"],
        ],
        cantAttest: [[]],
        notClean: [[['src/cart.ts', '3 more']]],
        changedMeanwhile: [[['src/cart.ts']]],
      },
    },
  );
  expect(texts).toMatchSnapshot();
});
