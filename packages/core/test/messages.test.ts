import { expect, test } from 'vitest';
import { messageTexts } from '../../../test/support/message-texts.ts';
import * as instructions from '../src/messages/instructions.ts';
import * as lookup from '../src/messages/lookup.ts';
import * as operator from '../src/messages/operator.ts';
import * as sessions from '../src/messages/sessions.ts';

test('messages about evidence', () => {
  const texts = messageTexts(
    { evidenceMessages: sessions.evidenceMessages },
    {
      evidenceMessages: {
        missing: [['tests']],
        failed: [
          ['tests', ['exit code 1', '3 of 57 tests failed (cart › adds twice; …)']],
          ['tests', ['exit code 1'], 'build'],
        ],
        stale: [['tests']],
        weak: [['tests', 'observed', 'rerun']],
        unseen: [
          ['tests', '/home/ada/cart'],
          ['tests', undefined],
        ],
        notConfigured: [['tests', ["the project has no check 'test', so nothing was run"]]],
        passed: [['tests']],
        withoutCheck: [[]],
        unset: [
          ['scope', ['plannedPaths']],
          ['scope', ['plannedPaths', 'baseCommit']],
        ],
        unknown: [
          [['lint'], ['tests']],
          [['lint'], []],
        ],
        needsStatement: [[]],
        left: [['tests', 'fix-causes']],
        noFolder: [
          ['5d0c', []],
          ['5d0c', ['build']],
          ['5d0c', ['build', 'report']],
        ],
        otherFolder: [['/srv', '/home/ada/cart']],
        noStatements: [[]],
        otherCheck: [
          ['lint', ['test']],
          ['lint', []],
        ],
        otherSession: [['5d0c', '61aa']],
        noSession: [['5d0c']],
        inTheFuture: [['2030-01-31T09:00:00.000Z']],
        tooOld: [['2030-01-31T09:00:00.000Z', '2030-01-31T10:00:00.000Z']],
        otherCommit: [['8f3c2a1', '51d0e77']],
        notCommitted: [['8f3c2a1']],
        otherChecks: [['workflowlookup checks trust']],
        otherDemand: [['scope']],
        sameCredential: [[]],
        activityLeft: [['build']],
      },
    },
  );
  expect(texts).toMatchSnapshot();
});

test('messages of sessions', () => {
  const texts = messageTexts(sessions.messages, {
    tokenInvalid: [[]],
    idInsteadOfToken: [['3568e90d9512efea6050']],
    tokenOfNobody: [[]],
    sessionGone: [[]],
    sessionOfOther: [[]],
    otherUsersToo: [[]],
    noSession: [['3568e90d9512efea6050']],
    tokenStale: [[3, 5]],
    sessionFull: [
      ['3568e90d9512efea6050', 'calls', 100_000],
      ['3568e90d9512efea6050', 'events', 10_000, 'quit'],
    ],
    conflict: [[5, { activity: 'draft', answered: 'scope', open: 'sign' }]],
    changedMeanwhile: [[5, { by: 'ana', checkpoint: 'sign', option: 'yes' }]],
    sessionCompleted: [[]],
    reservedName: [['human:ada']],
    hiddenInName: [['U+200B']],
    notStartable: [
      ['release', "activities/01-draft.yaml: 'version' is missing", 0],
      ['release', "activities/01-draft.yaml: 'version' is missing.", 2],
    ],
    startedInstead: [['release']],
    runsOther: [['release', 'fix']],
    resumedUnsigned: [[]],
    resumedById: [[]],
    parentRefused: [[sessions.messages.tokenInvalid()]],
    parentCompleted: [['3568e90d9512efea6050', 'abandoned']],
    noActivityYet: [[]],
    stepNotCurrent: [['write']],
    activityNotFound: [["'drift' was not found", 'review (default)']],
    possible: [['review (default)']],
    possibleWith: [['review (size == 1)', ['size'], true]],
    legal: [['review (default)']],
    legalWithEvidence: [['review (default)']],
    continuesInstead: [[undefined, 'review (default)']],
    transitionUndecided: [[['size', 'kind']]],
    notVisited: [[['review']]],
    answerLeadsElsewhere: [['review (default)', 'draft']],
    activitySkipped: [['draft']],
    iterationsLeft: [['files', 'plan', 'draft']],
    conditionFalse: [['draft', ['size == 1', 'kind == 2']]],
    noTransition: [['draft', 'plan', 'review (default)']],
    otherCondition: [['draft', ['size == 1'], 'size == 2']],
    unknownInActivityManifest: [['drift']],
    emptyOutcome: [['draft']],
    notYielded: [['sign', 'draft']],
    personBeforeMove: [['sign', 'draft']],
    sentBack: [['sign', 'draft']],
    bypass: [['sign', 'draft']],
    bypassAtClosedEnd: [['sign', 'draft', 'plan']],
    personChoseNext: [['sign', 'draft']],
    noManifest: [['draft', ['write', 'check']]],
    requiredSteps: [[['write', 'check']]],
    missingSteps: [[['check']], [Array.from({ length: 62 }, (_, at) => `s${at}`)]],
    unexpectedSteps: [[['paint'], 'draft']],
    stepTwice: [['write']],
    wrongOrder: [['write', 'check']],
    emptyOutput: [['write']],
    notDoneWithoutReason: [['check']],
    notDoneNotRequired: [['check', 'validate']],
    notDoneReason: [['check', 5000, 1000]],
    notDoneRefused: [
      ['check', 'draft', ['second-look']],
      ['check', 'draft', []],
    ],
    criteriaUnusable: [['/minLength must be a number']],
    outputRefused: [['write', ['Too short', 'No link']]],
    noCheckpointToYield: [[]],
    checkpointNotFound: [['draft', 'drift', ['sign']]],
    checkpointOpen: [['sign']],
    noCheckpointOpen: [['sign']],
    nothingToPresent: [[]],
    answeredInManifest: [[]],
    notParked: [[]],
    noteTooLong: [[2400, 2000]],
    parkReason: [
      [0, 500],
      [612, 500],
    ],
    parkUntil: [['tomorrow']],
    nothingToResume: [[]],
    needsPerson: [['sign']],
    sameCredential: [['sign']],
    personAnswersWith: [['workflowlookup sessions respond 3568']],
    noteRequired: [['sign', 'change']],
    optionNotFound: [['sign', 'maybe', ['yes', 'no']]],
    answerTooSoon: [[2]],
    conditionNotMet: [['sign']],
    noCondition: [['sign', ['yes', 'no']]],
    conditionMet: [['sign', ['yes', 'no']]],
    blocking: [['sign', ['yes', 'no']]],
    noTimer: [['sign', ['yes', 'no']]],
    notReversible: [['sign', ['yes', 'no']]],
    timerRunning: [['sign', 2000]],
    notDeclared: [['size']],
    wrongType: [['size', 'number', 'string']],
    moreProblems: [[4]],
    tooManyVariables: [[1200, 1000]],
    variableTooLong: [['notes', 70_000, 65_536]],
    sessionTooLong: [[1_100_000, 1_048_576]],
    outputsTooLong: [[2_500_000, 2_097_152]],
    putTextsElsewhere: [[]],
    answerInProgram: [['3568']],
    unknownOption: [['stores', ['store', 'keys'], 'store']],
    missingMembers: [
      ['store', ['putBlob']],
      ['source', ['get', 'list']],
    ],
  });
  expect(texts).toMatchSnapshot();
});

test('messages about protected variables, loops and transitions', () => {
  const { messages: _, evidenceMessages: _evidence, ...others } = sessions;
  const missing = { loop: 'files', variable: 'files', found: 'nothing' };
  const list = others.loopMessages.noList(missing);
  const texts = messageTexts(others, {
    protectedVariables: {
      pathName: [['plan.ok', 'plan']],
      answerSet: [
        ['ok', 'sign', 'review', undefined],
        ['ok', 'sign', 'review', '3568'],
      ],
      otherOption: [['ok', 'sign', 'review', undefined]],
      shown: [['ok', 'sign', 'review']],
      reserved: [['ok', ['sign', 'review']]],
      loopList: [
        ['files', 'each', 'review'],
        ['files', 'each', undefined],
      ],
      loopCount: [['rounds', 'each', 'review']],
      loopItem: [['file', 'each', 'review']],
      conditionFalseAgain: [['ok', 'sign']],
      otherIteration: [['ok', 'sign']],
      listOfActivity: [['files', 'review']],
    },
    remedies: {
      leaveOut: [[]],
      addToEnd: [[]],
      giveMore: [[]],
      askInParent: [[]],
      askAgain: [
        ['sign', undefined, true],
        ['sign', 'review', false],
      ],
      notReached: [
        ['review', true],
        ['review', false],
      ],
      notAsked: [['sign']],
      renameItem: [['file', 'each', 'review']],
      nameInSetBy: [['ok', 'review']],
    },
    decidedByPerson: {
      variable: [['ok', 'sign', 'review', undefined]],
      shown: [['ok', 'sign', 'review']],
      listOfLoop: [['files', 'review']],
      answered: [['sign']],
      next: [
        ['review', 'names another'],
        ['review', 'skips it'],
      ],
      letPersonAnswer: [['sign']],
    },
    loopMessages: {
      noList: [[missing]],
      setList: [[missing]],
      noIteration: [['sign', ['each', 'again'], [list]]],
      noItem: [['sign', list, 'files']],
    },
    storedMessages: {
      brokenJournal: [['3568e90d9512efea6050', 5]],
      noStart: [['3568e90d9512efea6050']],
      noDefinition: [[]],
      otherDefinition: [[]],
    },
    driftMessages: {
      notServed: [['release', '1.0.0']],
      otherVersion: [['release', '2.0.0', '1.0.0']],
      sameVersion: [['release', '1.0.0']],
    },
    transitionTexts: {
      nothing: [[]],
      end: [[]],
      to: [['review', 'default']],
      initial: [[]],
      nextStep: [[]],
      nextInLoop: [[]],
      anotherIteration: [[]],
      answered: [[]],
      loop: [['each']],
      decision: [['size']],
      by: [
        [undefined, 'The change is small.'],
        ["decision 'size'", 'small == true'],
      ],
      past: [['default', 'draft']],
      notFound: [['drift']],
      broken: [
        ['draft', 'activities/01-draft.yaml', "'version' is missing"],
        ['draft', 'activities/01-draft.yaml', undefined],
      ],
      noActivity: [[]],
    },
  });
  expect(texts).toMatchSnapshot();
});

test('messages of the lookup tools', () => {
  const part = { kind: 'skill', id: 'bake', file: 'skills/01-bake.yaml' };
  const texts = messageTexts(lookup, {
    workflowMessages: {
      notFound: [
        ['flaw', 'flow'],
        ['flaw', undefined],
      ],
      notServed: [
        ['flow', 'flow.yaml', "'name' is missing"],
        ['flow', 'flow.yaml', undefined],
      ],
      notTrusted: [['flow', 'workflowlookup trust']],
      conditionUnusable: [['Unexpected "#".'], [undefined]],
      bodyNotFound: [['plan', 'again']],
      definitionUnusable: [['flow', ["/name: 'name' is missing", "/steps: 'steps' is missing"]]],
      wrongCursor: [[]],
      noSession: [['5d0c']],
    },
    partMessages: {
      broken: [
        [part, undefined, 0],
        [part, { line: 2, message: "'version' is missing" }, 0],
        [part, { line: 2, message: "'version' is missing" }, 3],
      ],
      unchangedBundle: [['sha256:1f2e']],
      notAResource: [['a b']],
      noWorkflow: [['flow']],
      noResource: [
        ['prize', ['flow', 'meta'], 'price', ['price']],
        ['prize', ['flow'], undefined, ['style', 'tone']],
        ['prize', ['flow'], undefined, []],
      ],
      noSkill: [
        ['bka', ['flow', 'meta'], 'bake'],
        ['bka', ['flow'], undefined],
      ],
      noSkillNamed: [['primary skill', lookup.partOwners.workflow('flow')]],
      skillUnusable: [
        ['skill', lookup.partOwners.step('mix', 'bake'), lookup.partMessages.broken(part, undefined, 0)],
      ],
      noActivity: [['plna', 'flow']],
      noSkillsInSteps: [['flow']],
      noSkillYet: [[]],
      noStep: [
        ['flow', 'activity', 'plna', 'plan'],
        ['flow', 'step', 'plna', undefined],
      ],
      noStepInActivity: [
        ['plan', 'mix', ['read', 'write']],
        ['plan', 'mix', []],
      ],
    },
    partOwners: { workflow: [['flow']], activity: [['bake']], step: [['mix', 'bake']] },
    nextMessages: {
      unknownStep: [['plna']],
      unknownActivity: [['plna']],
      stepOfActivity: [['review@0::read', 'review']],
      moreUnknown: [[5]],
      loopCutShort: [
        ['again', 5, undefined],
        ['again', 5, 7],
      ],
      loopTooLong: [['again']],
      wrongBound: [
        ['again', 'files', 'array', 'nothing'],
        ['again', 'rounds', 'count', 'a string'],
      ],
      endedByLimit: [['review', 100]],
      cannotContinue: [['flow', lookup.nextMessages.noActivity('plan')]],
      noActivity: [['plan']],
    },
  });
  expect(texts).toMatchSnapshot();
});

test('instructions', () => {
  const options = [{ id: 'yes', label: 'Yes' }];
  const asked = { id: 'good', name: 'Good enough', message: 'Is it good?', options };
  const steps = { id: 'each', name: 'Each file' };
  const mix = { id: 'mix', name: 'Mix' };
  const mode = { name: 'Fast', activationVariable: 'fast' };
  const texts = messageTexts(instructions, {
    headings: {},
    stepTexts: {
      role: [['You are careful']],
      loop: [
        ['files', 2, undefined],
        ['files', 2, 5],
      ],
      confirm: [[true], [false]],
      putFields: [[{ size: 'size', paths: 'files' }]],
      end: [[[]], [[{ stepId: 'mend', variables: ['broken', 'size'] }]]],
    },
    valueTexts: { unset: [['topic']], tooLong: [['topic']] },
    confirmationTexts: { name: [['Mix']], question: [['Mix']] },
    activityTexts: {
      putFirst: [[{ broken: false, list: ['a'] }]],
      operations: [[['shared::bake', 'shared::mix']]],
      variable: [
        ['clean', { type: 'boolean', description: 'Whether it is good' }],
        ['clean', { type: 'boolean' }],
        ['clean'],
      ],
      mode: [[{ ...mode, description: 'Skip reviews.', recognition: ['quick', 'at once'] }], [mode]],
      step: [
        [{ ...mix, description: 'Stir well.', required: false, skill: 'bake' }, 'size == 1', 'bake@0::mix'],
        [{ id: 'mix' }, undefined, undefined],
      ],
      skillArguments: [['{"size":1}']],
      outputSchema: [['{"type":"object"}']],
      ask: [['good']],
      conditional: [['size == 1', 'Tell the user: It is small.']],
      action: [
        [{ action: 'set', target: 'size', value: 1 }],
        [{ action: 'set', target: 'size', message: 'the number of files' }],
        [{ action: 'set', target: 'size' }],
        [{ action: 'validate', target: 'size', description: 'It is a number.' }],
        [{ action: 'validate', target: 'size' }],
        [{ action: 'message', message: 'It is small.' }],
        [{ action: 'log', message: 'It is small.' }],
      ],
      trigger: [
        [{ workflow: 'release', passContext: ['size', 'kind'], description: 'once it is merged' }],
        [{ workflow: 'release' }],
      ],
      loop: [
        [{ ...steps, type: 'forEach', variable: 'file', over: 'files', description: 'Newest first.' }],
        [{ ...steps, type: 'while', maxIterations: 5 }, 'left > 0', 'stopped == true'],
        [{ ...steps, type: 'doWhile' }],
      ],
      question: [
        [{ ...asked, approver: 'human' }, 'size == 1'],
        [{ ...asked, defaultOption: 'yes', autoAdvanceMs: 30_000 }, undefined],
      ],
      option: [
        [{ id: 'yes', label: 'Yes' }],
        [
          {
            id: 'no',
            label: 'No',
            description: 'It is bad',
            effect: { setVariable: { clean: false }, transitionTo: 'mend', skipActivities: ['ship', 'tell'] },
          },
        ],
      ],
    },
  });
  expect(texts).toMatchSnapshot();
});

test('messages for operators', () => {
  const { sealProblems, sealedParts, importProblems } = operator;
  const digest = 'sha256:1f2e';
  const texts = messageTexts(operator, {
    sealedParts: {
      row: [[]],
      event: [[3]],
      savedState: [[]],
      call: [[2]],
      write: [[]],
      agent: [[1]],
      bundle: [[1]],
      definition: [[]],
    },
    sealProblems: {
      forged: [[sealedParts.event(3)]],
      noSeal: [[sealedParts.row()]],
      unknownKey: [
        [sealedParts.row(), 'k1'],
        [sealedParts.row(), undefined],
      ],
      forgedExport: [[]],
      forgedAnchor: [[4]],
    },
    sessionProblems: {
      deleted: [[]],
      rowDeleted: [[]],
      pruned: [[]],
      anchoredMissing: [[3]],
      anchoredTwice: [[3]],
      anchoredOther: [[3]],
      changed: [[3]],
      wrongEnd: [[]],
      wrongFields: [[3, 'checkpoint-answered']],
      tooEarly: [[3]],
      notReplayable: [[3]],
      wrongField: [['status', 'active', 'completed']],
      wrongState: [[]],
      noDefinition: [[digest]],
      otherDefinition: [[digest, 'release']],
      movedAnswer: [[3]],
      noOutput: [[digest]],
      otherOutputs: [[]],
      callsReordered: [['w1']],
      callTwice: [[2, 'w1']],
      callsMissing: [[2, 7, 'w1']],
      noCommand: [[3]],
      otherCommand: [[9], [undefined]],
      agentsReordered: [[]],
      noAgent: [['ana']],
    },
    databaseProblems: {
      damaged: [['it contains a text that is not UTF-8']],
      foreign: [
        ['trigger', 'hide', 'events'],
        ['row security', 'events', 'events'],
      ],
      changedTable: [['calls']],
      foreignTable: [['child table', 'events_2', 'events']],
    },
    insightTexts: { abandoned: [[]], completed: [[]], endedIn: [['Close']] },
    operatorMessages: {
      ambiguousId: [
        ['35', ['3568', '35a1'], 5],
        ['35', ['3568', '35a1', '35b2'], 2],
      ],
      emptyOutput: [[]],
      storeHasNoSeals: [[]],
      notSealed: [['3568', [`FORGED: ${sealProblems.forged(sealedParts.event(3))}`]]],
      notImported: [[importProblems.wrongId()]],
      badStatus: [['waiting', ['active', 'blocked', 'parked', 'completed']]],
      noStatusList: [['active']],
    },
    importProblems: {
      changed: [[]],
      wrongId: [[]],
      wrongFields: [[3, 'checkpoint-answered']],
      wrongTime: [[3]],
      wrongField: [['status']],
      otherOutputs: [[]],
      otherDefinition: [[]],
      unknownActivity: [[]],
      notReplayable: [[]],
      wrongCall: [[]],
      unknownAgent: [[]],
    },
    notDoneTexts: {
      dependsOn: [[['sign']], [['sign', 'scope']]],
      skippedByAnswer: [['no', 'sign']],
      skippedByDismissal: [['sign']],
      skippedByMode: [['fast']],
      abandoned: [[]],
      notReached: [[]],
      conditionFalse: [['size == 1']],
      noIteration: [['again']],
      skipped: [[]],
    },
  });
  expect(texts).toMatchSnapshot();
});
