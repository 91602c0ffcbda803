/**
 * The areas for mutation testing: the code to mutate, the tests that must fail, and the test files to leave out. These
 * are tests of documents, and tests that take a second or more. With thousands of mutants, they would take days.
 */
export const areas = {
  conditions: { code: ['packages/conditions/src'], tests: ['packages/conditions/test'], without: [] },
  validation: {
    code: ['packages/validation/src'],
    tests: ['packages/validation/test'],
    without: ['hostile.system.test.ts', 'impossible-criteria.property.test.ts'],
  },
  decisions: {
    code: ['packages/core/src/navigation', 'packages/core/src/session'],
    tests: [
      'packages/core/test/navigation',
      'packages/core/test/session',
      'packages/core/test/session-engine',
    ],
    without: ['sessions.property.test.ts', 'tokens.property.test.ts'],
  },
  tokens: {
    code: ['packages/core/src/session-engine/session-tokens.ts'],
    tests: ['packages/core/test/tokens'],
    without: [],
  },
  readers: {
    code: ['packages/schema/src'],
    tests: ['packages/schema/test'],
    without: [
      'authoring-page.test.ts',
      'errors-page.test.ts',
      'reader.property.test.ts',
      'repairs.property.test.ts',
      'size-limits.test.ts',
      'toon-size-limits.test.ts',
      'toon.property.test.ts',
    ],
  },
};
