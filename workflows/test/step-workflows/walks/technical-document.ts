import type { WorkflowWalks } from './walk.ts';

const sections = [
  { id: 'start', title: 'Start the server', answers: 'How do I start it?' },
  { id: 'stop', title: 'Stop the server', answers: 'How do I stop it without losing work?' },
];
const small = {
  size: 'small',
  document: 'docs/server.md',
  changedPaths: ['docs'],
  startCommit: '4f2c9aa',
  updatesExisting: true,
  publishes: false,
};
const written = ['each-section@0::write-section', 'each-section@1::write-section', 'try-on-reader'];

/** Walks of technical-document. */
export const technicalDocument: WorkflowWalks = {
  id: 'technical-document',
  walks: [
    {
      name: 'a small change to a document',
      steps: [['name-reader', small], 'collect-facts', 'write-all', 'check-document', 'hand-over'],
    },
    {
      name: 'a large document that exists',
      steps: [
        ['name-reader', { ...small, size: 'large' }],
        'collect-facts',
        'sort-existing',
        ['outline', { sections }],
        ...written,
        'check-document',
        'hand-over',
      ],
    },
    {
      name: 'a new document that is published',
      steps: [
        ['name-reader', { ...small, size: 'large', updatesExisting: false, publishes: true }],
        'collect-facts',
        ['outline', { sections }],
        ...written,
        'check-document',
        'publish',
        'hand-over',
      ],
    },
  ],
};
