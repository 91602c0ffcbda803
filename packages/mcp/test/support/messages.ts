/** The catalogue, for tests of apps. Tests of apps may not import the sources of another package. */
export { messages } from '../../src/messages.ts';
