/** The catalogue, for tests of apps. They may not import the sources of another package. */
export { messages } from '../../src/messages.ts';
