import { expect, test } from 'vitest';
import { messageTexts } from '../../../test/support/message-texts.ts';
import * as messages from '../src/messages.ts';

const problem = messages.databaseProblems.unknownMode('on', ['disable', 'require']);
const file = 'review/workflow.yaml';

test('messages about keys, places, trust, drafts and jobs', () => {
  const texts = messageTexts(messages, {
    optionMessages: {
      wrongWord: [['tokens', ['reference', 'self-contained'], 'short']],
      wrongSwitch: [['WORKFLOW_INCLUDE_USER', 'maybe']],
      wrongSeconds: [['soon']],
      wrongNotBefore: [['yesterday']],
      wrongAuditPlace: [['syslog:here']],
      wrongTrustedKey: [['ci.pub']],
      twoTrustedKeys: [['ci']],
      trustedKeyUnreadable: [['ci.pub', 'ENOENT']],
      directoryIsFile: [['flows.yaml']],
      directoryUnreadable: [['flows', 'EACCES', '/srv/flows']],
      directoryMissing: [['flows', '/srv/flows']],
      wrongDatabase: [[problem]],
      oldNode: [['18.20.0', '20.19']],
    },
    databaseProblems: {
      notPostgres: [[]],
      unknownMode: [['on', ['disable', 'require']]],
      maybeNotEncrypted: [['db.internal']],
    },
    placeMessages: {
      wrongAddress: [[problem]],
      postgres: [[]],
      postgresAt: [
        ['flows', 'db.internal'],
        ['flows', ''],
      ],
      onTheServer: [['workflowlookup trust', ['--state', '--database']]],
      withDatabase: [['workflowlookup trust --database URL', "the Postgres database 'work'"]],
      anchorNotWritten: [
        ['heads.jsonl', 'EACCES', { waiting: 3, dropped: 0 }],
        ['heads.jsonl', 'EACCES', { waiting: 10_000, dropped: 2 }],
      ],
      auditNotWritten: [[undefined], ['EACCES']],
      diskFull: [[]],
    },
    keyMessages: {
      unusable: [
        ['changed', 'ENOSPC'],
        ['read or created', 'ENOTEMPTY'],
        ['read or created', 'EACCES'],
      ],
      lineOfFile: [[1, 'keys/token-key']],
      keyOfVariable: [[0, 'WORKFLOWLOOKUP_KEYS']],
      wrongKey: [
        [messages.keyMessages.lineOfFile(1, 'keys/token-key'), 63],
        [messages.keyMessages.keyOfVariable(0, 'WORKFLOWLOOKUP_KEYS'), 64],
      ],
      otherKeys: [[]],
      keysFromVariable: [[]],
      otherRotation: [['rotation.lock']],
      open: [[messages.openPlaces.around(), '0777', 'chmod +t ..']],
    },
    openPlaces: {
      around: [[]],
      everybodyWrites: [[messages.openPlaces.stateDirectory()]],
      groupWrites: [[messages.openPlaces.folder('keys')]],
      otherOwner: [["'keys/token-key'", 1000]],
      notRegular: [['keys/token-key']],
      othersUse: [['keys/token-key']],
      stateDirectory: [[]],
      folder: [['keys']],
    },
    apiKeyMessages: {
      wrongPrincipal: [['a b']],
      wrongScope: [
        [['read', 'write'], undefined],
        [['read', 'write'], 'admin'],
      ],
      wrongExpiry: [['soon']],
      expiryInPast: [['2020-01-31', '2026-03-01T10:00:00.000Z']],
      notRevoked: [['1f2e3d4c5b6a']],
      expired: [['2026-03-01T10:00:00.000Z']],
      revoked: [['2026-03-01T10:00:00.000Z']],
      tooOld: [['2026-03-01']],
    },
    trustMessages: {
      checksInvalid: [['line 1: a check needs run']],
      folderTooWide: [['/home/ana']],
      recordUnusable: [[messages.trustProblems.othersWrite()]],
      otherChange: [['trust.lock']],
      recordNotWritten: [['EACCES']],
    },
    trustProblems: { othersWrite: [[]], otherKeys: [[]], unreadable: [[]] },
    draftMessages: {
      noSource: [['user']],
      noFile: [['user', file]],
      notOfDefinition: [['user', file]],
      notTrusted: [['project', 'flow.json']],
      outside: [[]],
      notText: [[file]],
      isLink: [[file]],
      unreadable: [[file, 'EACCES']],
      readOnly: [['user']],
      notScanned: [[file]],
      noName: [[]],
      badId: [['My Copy']],
      changed: [[file]],
      exists: [[file]],
      hasErrors: [[file]],
      notWritten: [[file, 'EACCES']],
    },
    jobMessages: {
      noWorkflow: [[]],
      notReadable: [[2, 'A quote is not closed.']],
      wrongFields: [["'fields' must be a list."]],
      tooSlow: [[5_000]],
      outOfMemory: [[]],
      workerEnded: [[]],
      answerTooLong: [[4_000_000]],
      tooManyWaiting: [[20]],
      shuttingDown: [[]],
    },
  });
  expect(texts).toMatchSnapshot();
});
