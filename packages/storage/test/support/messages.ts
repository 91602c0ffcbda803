/** The parts of the catalogue that tests of apps compare with. Tests of apps may not import the sources of another package. */
export { databaseMessages, exportMessages, postgresFailures, sqliteFailures } from '../../src/messages.ts';
