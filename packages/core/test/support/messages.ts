/** The parts of the catalogue that tests of apps compare with. Tests of apps may not import the sources of another package. */
export { importProblems } from '../../src/messages/operator.ts';
export { messages, transitionTexts } from '../../src/messages/sessions.ts';
