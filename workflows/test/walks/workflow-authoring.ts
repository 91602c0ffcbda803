import { json, labels } from '../output.ts';
import type { WorkflowWalks } from '../walk.ts';

const read = {
  id: 'read-request',
  purpose: 'Read the request for access.',
  produces: 'who, what, until when',
  kind: 'step',
  condition: 'always',
  prevents: ['wrong account'],
  asks: 'nobody',
};
const each = { ...read, id: 'each-system', purpose: 'Repeat for every system.', kind: 'loop' };
const grant = {
  ...read,
  id: 'grant',
  purpose: 'Grant what was asked for.',
  in: 'each-system',
  asks: 'human',
};
const failure = {
  failure: 'access is granted for longer than asked',
  seenIn: 'ticket 81',
  preventedBy: 'the end date is read back from the system',
  evidence: 'a line with the end date',
  checkedBy: 'criterion',
};
const answer = { valid: true, issues: [], suggestions: [] };

/** Walks and samples of workflow-authoring. */
export const workflowAuthoring: WorkflowWalks = {
  id: 'workflow-authoring',
  walks: [
    {
      name: 'work for which a workflow is the wrong form',
      steps: [
        'study-the-work',
        ['choose-form', { fit: 'none', workflowId: 'rename-file', shared: false }],
        'advise-other-form',
      ],
    },
    {
      name: 'a workflow the person wants nonetheless, with branches, issues and a walk to repair',
      steps: [
        'study-the-work',
        ['choose-form', { fit: 'none', workflowId: 'grant-access', shared: true }],
        ['advise-other-form', { fit: 'new' }],
        'name-failures',
        ['outline-steps', { outline: [read, each, grant], branching: true }],
        'plan-variables',
        'each-step@0::write-step',
        'each-step@2::write-step',
        'write-criteria',
        ['assemble', { jsonValid: false }],
        ['fix-until-valid@0::fix-issues', { jsonValid: false }],
        ['fix-until-valid@1::fix-issues', { jsonValid: true }],
        ['walk-branches', { walkProblems: 2 }],
        ['repair-walks@0::fix-walk', { walkProblems: 0 }],
        'trial-run',
        'install',
      ],
    },
    {
      name: 'an extension without branches',
      steps: [
        'study-the-work',
        ['choose-form', { fit: 'extend', workflowId: 'grant-access', shared: false }],
        'read-existing',
        'name-failures',
        ['outline-steps', { outline: [read], branching: false }],
        'each-step@0::write-step',
        'write-criteria',
        ['assemble', { jsonValid: true }],
        ['walk-branches', { walkProblems: 0 }],
        'trial-run',
        'install',
      ],
    },
    {
      name: 'a document that is never accepted',
      steps: [
        'study-the-work',
        ['choose-form', { fit: 'new', workflowId: 'grant-access', shared: false }],
        'name-failures',
        ['outline-steps', { outline: [read], branching: false }],
        'each-step@0::write-step',
        'write-criteria',
        ['assemble', { jsonValid: false }],
        ...[0, 1, 2, 3, 4, 5, 6, 7].map((round) => `fix-until-valid@${round}::fix-issues`),
        'report-invalid',
      ],
    },
  ],
  samples: {
    'study-the-work': {
      good: labels({
        Trigger: 'a ticket that asks for access, with a name and a system',
        End: 'the person can log in until the agreed date; the ticket has the proof',
        'Runs studied':
          'tickets 81 (granted for a year instead of a month), 90 (good), 97 (wrong account of two with one name)',
        'Expert moves': 'they look the account up by number and read the end date back',
        'Decisions for people': 'who may have access at all',
        'Kinds of run': 'one system or several; ordinary or administrative rights',
      }),
      bad: 'Granting access is a common process in most companies. A workflow should begin by collecting requirements, then plan the change, then carry it out and finally verify it. This ensures a high quality and a consistent result every time, whoever carries it out, and makes the process easy to audit for everyone involved in it.',
    },
    'choose-form': {
      good: labels({
        Found: 'none',
        Form: 'new, because people have to be asked',
        Id: 'grant-access',
        For: 'everybody, workflows/',
      }),
      bad: 'I will create a new workflow.',
    },
    'advise-other-form': {
      good: labels({ 'Better form': 'a script, since there is one command', Agreed: 'the script' }),
      bad: 'A workflow is not needed.',
    },
    'read-existing': {
      good: labels({
        'Steps kept': 'all',
        'Steps changed': 'none',
        'Steps added': 'read-back',
        'Steps removed': 'none',
        'Relied on': 'grant',
        'New version': '1.1.0',
      }),
      bad: 'The existing workflow has four steps.',
    },
    'name-failures': {
      good: json({
        failures: [
          failure,
          { ...failure, failure: 'the wrong account is used' },
          { ...failure, failure: 'nobody agreed to it' },
        ],
      }),
      bad: json({ failures: [{ failure: 'mistakes' }] }),
    },
    'outline-steps': {
      good: json({ outline: [read, each, grant] }),
      bad: json({ outline: [{ id: 'Step 1', purpose: 'Plan' }] }),
    },
    'plan-variables': {
      good: '| name | type | values | set by | read by |\n|---|---|---|---|---|\n| systems | array | names | read-request | each-system |\n\nPaths: read-request, each-system@0::grant (systems: ["mail"])',
      bad: 'The variables are systems and approved.',
    },
    'write-step': {
      good: labels({
        Prompt: 'Look the account up by its number ...',
        'Good output': 'Account: 4711, found by number',
        'Careless output': 'Found the account. Missing: how.',
      }),
      bad: 'Prompt: do the step carefully and thoroughly.',
    },
    'write-criteria': {
      good: labels({
        'grant - Rules': 'regex for "Until:" with a digit',
        'Gets past': 'an invented date; the person sees it',
        'Honest variants': '"no end date", "until further notice"',
      }),
      bad: 'Each step has a minimum length of 100 characters.',
    },
    assemble: {
      good: [
        json({ file: 'workflows/grant-access.json', ...answer }),
        json({
          file: 'workflows/grant-access.json',
          ...answer,
          valid: false,
          issues: ["Missing required property 'description'"],
        }),
      ],
      bad: 'The document is valid JSON.',
    },
    'fix-issues': {
      good: json({ fixed: ['added the description'], ...answer }),
      bad: json({ valid: true }),
    },
    'report-invalid': {
      good: labels({
        Issues: '/steps/3: unknown key "promt"',
        Tried: 'spelling, order',
        'Smallest example': 'none',
        Agreed: 'stop',
      }),
      bad: 'The server does not accept the workflow.',
    },
    'walk-branches': {
      good: labels({
        'Path 1': '{systems: ["mail"]}: read-request, each-system@0::grant; complete',
        Samples: '2 of 2 good accepted, 2 of 2 careless refused',
        Problems: 'none',
      }),
      bad: 'The workflow was loaded and works.',
    },
    'fix-walk': {
      good: labels({
        Problem: 'systems was never set',
        Repaired: 'the prompt of read-request names it',
        'Valid again': 'valid, no issues',
        'Walked again': '2 paths, 4 samples, all as planned',
        Left: '0',
      }),
      bad: 'I adjusted the sample so that it passes.',
    },
    'trial-run': {
      good: labels({
        Task: 'ticket 102',
        'Run by': 'a fresh agent',
        Steps: 'grant: asked for the number twice',
        'Changed the result': 'read-request, grant',
        Change: 'the prompt names where the number is',
        'Valid after changes': 'valid',
      }),
      bad: 'The workflow is ready to be tried.',
    },
    install: {
      good: labels({
        File: 'workflows/grant-access.json, 1.0.0',
        Served: 'version 1.0.0, 2 steps',
        'Use when': 'access is asked for',
        'Do not use when': 'it is withdrawn',
        'Known gaps': 'none known',
        Owner: 'service desk',
      }),
      bad: 'Saved the file.',
    },
  },
};
