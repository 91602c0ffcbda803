// `npm run test:long` sets this: properties then run until a rare case has had its chance.
if (process.env['WORKFLOWLOOKUP_LONG'] === '1') {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ numRuns: 10_000 });
}
