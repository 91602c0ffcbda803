import { json, labels } from '../output.ts';
import type { WorkflowWalks } from '../walk.ts';

const fact = {
  id: 'f1',
  statement: 'backup writes to ./backups unless --to is given',
  source: 'backup --help',
  how: 'ran',
};
const facts = [fact, { ...fact, id: 'f2', source: 'src/backup.ts:20', how: 'read' }, { ...fact, id: 'f3' }];
const before = {
  id: 'before',
  title: 'What you need',
  answers: 'What do I need before I begin?',
  facts: ['f2'],
  hasExample: false,
};
const restore = {
  id: 'restore',
  title: 'Restore a backup',
  answers: 'How do I get my data back?',
  facts: ['f1'],
  hasExample: true,
};

/** Walks and samples of technical-document. */
export const technicalDocument: WorkflowWalks = {
  id: 'technical-document',
  walks: [
    {
      name: 'a new explanation for colleagues',
      steps: [
        ['name-the-reader', { docKind: 'explanation', updatesExisting: false, audience: 'internal' }],
        ['collect-facts', { unknowns: 0 }],
        ['outline', { sections: [before] }],
        'each-section@0::draft-section',
        'assemble',
        ['check-statements', { discrepancies: 0 }],
        ['read-as-reader', { stuckPoints: 0 }],
        'hand-over',
      ],
    },
    {
      name: 'a public guide that replaces an old one',
      steps: [
        ['name-the-reader', { docKind: 'guide', updatesExisting: true, audience: 'public' }],
        'audit-existing',
        ['collect-facts', { unknowns: 2 }],
        'settle-unknowns',
        ['outline', { sections: [restore, before] }],
        'each-section@0::draft-section',
        'each-section@0::run-examples',
        'each-section@1::draft-section',
        'assemble',
        ['check-statements', { discrepancies: 3 }],
        ['correct-discrepancies@0::correct-statements', { discrepancies: 1 }],
        ['correct-discrepancies@1::correct-statements', { discrepancies: 0 }],
        ['read-as-reader', { stuckPoints: 2 }],
        ['clear-the-way@0::unblock-reader', { stuckPoints: 0 }],
        'approve-publication',
        'hand-over',
      ],
    },
  ],
  samples: {
    'name-the-reader': {
      good: labels({
        Reader: 'an operator on call who has never restored a backup and knows the shell',
        'Afterwards they can': "restore last night's backup into an empty database",
        Kind: 'guide, because there is one goal',
        'Describes version': '3.4.1',
        Place: 'docs/restore.md, linked from the alert',
        'Exists already': 'docs/backup.md, which stops at writing backups',
        'Left out': 'writing backups, see docs/backup.md',
      }),
      bad: 'This document is for all developers, operators and managers who are interested in backups.',
    },
    'audit-existing': {
      good: labels({
        Keep: 'the paragraph on keys',
        Correct: '"restores are atomic" - src/restore.ts:31 commits per table',
        Remove: '--fast, gone since 3.0',
        'Linked headings': '#restore, from the alert',
      }),
      bad: 'The old document is outdated and will be rewritten.',
    },
    'collect-facts': {
      good: json({
        facts,
        unknowns: [{ question: 'How long are backups kept?', tried: 'src/backup.ts, the configuration' }],
      }),
      bad: [
        json({ facts: [{ id: 'f1', statement: 'It is fast and reliable' }], unknowns: [] }),
        json({ facts: facts.map((f) => ({ ...f, how: 'read' })), unknowns: [] }),
      ],
    },
    'settle-unknowns': {
      good: labels({
        Question: 'How long are backups kept?',
        Answer: '30 days, by the bucket rule',
        Source: 'the bucket rule in infra/backup.tf',
        Consequence: 'the guide names 30 days',
      }),
      bad: 'I left the details vague so that nothing is wrong.',
    },
    outline: {
      good: json({ sections: [before, restore] }),
      bad: json({ sections: ['Introduction', 'Usage', 'Conclusion'] }),
    },
    'draft-section': {
      good: labels({
        Text: 'You need the key file and an empty database. If the database is not empty, `restore` stops with exit code 3 and changes nothing.',
        'Rests on': 'f1, f2; new: f9 exit code 3 (ran)',
      }),
      bad: [
        'In this section we will look at restoring backups.',
        `Content goes here.\nRests on: f1\n${'-'.repeat(120)}`,
      ],
    },
    'run-examples': {
      good: labels({
        Example: 'restore --from latest',
        Ran: 'in a fresh container of 3.4.1',
        Printed: '"restored 14 tables", exit 0',
        'Text matches': 'no, the text said 12 tables; corrected',
      }),
      bad: 'The examples are correct.',
    },
    assemble: {
      good: labels({
        File: 'docs/restore.md',
        Words: '910 before, 640 after',
        Links: '11, followed by the link checker, 0 broken',
        Rendered: 'in the local site',
      }),
      bad: 'The document is complete.',
    },
    'check-statements': {
      good: [
        json({ checked: 34, discrepancies: [] }),
        json({
          checked: 34,
          discrepancies: [
            { quote: 'keeps 14 days', reality: '30 days', source: 'infra/backup.tf:8', kind: 'wrong' },
          ],
        }),
      ],
      bad: 'I checked the document and everything in it is correct.',
    },
    'correct-statements': {
      good: labels({
        Was: 'keeps 14 days',
        Now: 'keeps 30 days (infra/backup.tf:8)',
        'Reported faults': 'none',
        Left: '0',
      }),
      bad: 'All discrepancies were corrected.',
    },
    'read-as-reader': {
      good: labels({
        'Started from': 'an empty container, shell knowledge, no key file',
        Reached: "restore last night's backup: yes",
        Stuck: '"use your key" - not said where it is',
      }),
      bad: 'The document is easy to follow and well structured.',
    },
    'unblock-reader': {
      good: labels({
        Place: '"use your key"',
        Repair: 'the prerequisites name the path of the key',
        'Read again': 'the container had 14 tables at the end',
        Left: '0',
      }),
      bad: 'I clarified the wording.',
    },
    'approve-publication': {
      good: labels({
        'Looked for': 'internal hosts (one, replaced), names (none), unreleased features (none)',
        'Approved by': 'documentation lead',
        'Published at': 'not yet, goes out with 3.4.2',
      }),
      bad: 'Published to the site.',
    },
    'hand-over': {
      good: labels({
        Document: 'docs/restore.md, guide, 3.4.1',
        Verified: '34 statements, 6 examples, 1 reader',
        'Not verified': 'the times for large databases',
        'Goes stale when': 'src/restore.ts or the bucket rule changes',
        Owner: 'platform team; a test runs the examples',
        'Faults found': 'none',
      }),
      bad: 'The document has been written and covers all important aspects.',
    },
  },
};
