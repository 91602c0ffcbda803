/** The parts of the catalogue that tests outside of this package compare with. Tests of apps may not import its sources. */
export { workflowMessages } from '../../src/messages/lookup.ts';
export { importProblems } from '../../src/messages/operator.ts';
export { messages, transitionTexts } from '../../src/messages/sessions.ts';
