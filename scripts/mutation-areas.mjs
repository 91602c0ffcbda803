// Property tests of whole sessions are left out by vitest.mutation.config.ts: thousands of walks for each change would take days.

/** Whose tests are tried by mutation: the code that is changed, and the tests that have to notice. */
export const areas = {
  conditions: { code: ['packages/conditions/src'], tests: ['packages/conditions/test'] },
  validation: { code: ['packages/validation/src'], tests: ['packages/validation/test'] },
  decisions: {
    code: ['packages/core/src/session'],
    tests: ['packages/core/test/session', 'packages/core/test/session-engine'],
  },
  tokens: { code: ['packages/core/src/tokens'], tests: ['packages/core/test/tokens'] },
  readers: { code: ['packages/schema/src'], tests: ['packages/schema/test'] },
};
