import { expect, test } from 'vitest';
import { messageTexts } from '../../../test/support/message-texts.ts';
import * as messages from '../src/messages.ts';

const sid = '5d0c';
const file = 'review/workflow.yaml';

test('messages of the HTTP server', () => {
  const texts = messageTexts(messages, {
    optionMessages: {
      refused: [[messages.optionMessages.wrongAuth('basic')]],
      wrongNumber: [['port', 65_535, '70000']],
      wrongProxy: [['proxy']],
      wrongUrl: [['public-url', 'http://a.example']],
      wrongAuth: [['basic']],
      authNotAlone: [['open']],
      needsAuth: [['0.0.0.0']],
      needsHosts: [['0.0.0.0']],
      oauthIncomplete: [[]],
      wrongTokenType: [['jwt']],
      wrongWebhook: [[]],
      noWebhookSecret: [['WORKFLOWLOOKUP_WEBHOOK_SECRET']],
      wrongEndpoint: [['OTEL_EXPORTER_OTLP_ENDPOINT']],
      wrongProtocol: [['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc']],
      wrongKeysAction: [[]],
      jsonOnlyForList: [[]],
      keyIncomplete: [[]],
      revoked: [['1f2e3d4c5b6a']],
      createdAt: [['2030-01-31']],
      expiresAt: [
        ['2030-01-31', true],
        ['2030-01-31', false],
      ],
      revokedAt: [['2030-01-31']],
      notSealed: [['1f2e3d4c5b6a']],
      noKey: [['1f2e3d4c5b6a']],
      portInUse: [[8420, '127.0.0.1']],
      portForbidden: [[80, '127.0.0.1']],
      portFailed: [[]],
    },
    credentialMessages: {
      notOneBearer: [[]],
      overMeanwhile: [[]],
      unknown: [[]],
      lacksScope: [['read write']],
      unknownKey: [[]],
      unsealedKey: [['1f2e3d4c5b6a']],
      refusedKey: [['1f2e3d4c5b6a', 'expired at 2026-03-01T10:00:00.000Z']],
      expired: [[]],
      wrongSignature: [[]],
      noSubject: [[]],
      idToken: [[]],
      bound: [[]],
      notAnAccessToken: [[]],
      noClaim: [['client_id']],
      otherServer: [[]],
      notValid: [[]],
      noIssuerKeys: [[]],
      newIssuerKey: [[]],
    },
    limitMessages: {
      largeBody: [[80_000, 2]],
      batchOverBurst: [[400, 300]],
      batchOverShare: [[200]],
      batchOverRate: [[20]],
      sessionsTooFast: [['ana', 600, 3]],
      tooManySessions: [['ana', 10_000, 10_000]],
    },
    addressMessages: {
      wrongToken: [[]],
      humanAnswersWith: [[sid]],
      databaseSilent: [[]],
      webhookGone: [[]],
      webhookRefused: [[500]],
      webhookBusy: [[100]],
    },
    requestMessages: {
      serverFailed: [[]],
      tooMany: [[3]],
      bodyTooLarge: [[2_097_152]],
      bodyTooLate: [[5]],
      bodyTooDeep: [[256]],
      tooManyValues: [[20_000]],
      notValid: [
        ['body', '', 'Invalid input'],
        ['query', 'limit', 'Too big: expected number to be <=200'],
      ],
      otherSite: [[]],
      otherOrigin: [[]],
      noRoute: [[]],
      noPage: [[]],
      notBuilt: [[]],
      notSignedIn: [[]],
      wrongSignIn: [[]],
      refusedSignIn: [['The API key 0123456789ab expired at 2026-03-01T10:00:00Z: use another one']],
      issuerRefused: [[]],
    },
    evidenceMessages: { passedWithReasons: [[]], mayNotReport: [[]], noSignIn: [[]] },
    consoleMessages: {
      noSession: [[]],
      noCheckpoint: [[]],
      sessionUnreadable: [[sid]],
      notExported: [[sid, 'Event 3 has no seal.']],
      mayNotRespond: [['answer'], ['park']],
      databaseFailed: [[]],
      mayNotRead: [['user', file]],
      mayNotReview: [[]],
      mayNotSave: [[]],
      badCursor: [[]],
      noVersion: [[]],
      nothingToTrust: [['project', file]],
      changedSinceShown: [[file]],
      notTrustable: [[file]],
      mayNotTrustChecks: [[]],
      runsNoChecks: [[]],
      noChecks: [['/home/ana/shop']],
      checksChangedSinceShown: [['/home/ana/shop']],
      replaces: [[file, 'bundled', 'review']],
    },
  });
  expect(texts).toMatchSnapshot();
});

test('The descriptions of refused credentials fit into a header', () => {
  const { refusedKey, ...others } = messages.credentialMessages;
  for (const text of [
    ...Object.values(others).map((message) => message('read')),
    refusedKey('1f2e', 'expired'),
  ])
    expect(text).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
});
