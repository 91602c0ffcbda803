/** Whether every suite runs in its long form: `npm run test:long` asks for it. */
export const isLong = process.env['WORKFLOWLOOKUP_LONG'] === '1';
