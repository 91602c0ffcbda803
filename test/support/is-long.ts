/** Whether `npm run test:long` runs the tests, with more random cases and longer runs. */
export const isLong = process.env['WORKFLOWLOOKUP_LONG'] === '1';
