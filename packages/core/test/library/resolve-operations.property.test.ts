import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveOperations } from '../../src/library/operations.ts';
import { library, skill, workflow } from '../support/bakery.ts';

const inherited = Object.getOwnPropertyNames(Object.prototype);
const name = fc.oneof(fc.constantFrom('a', 'b', 'c', ...inherited), fc.string({ maxLength: 4 }));
const id = fc.constantFrom('one', 'two', 'meta', 'toString', '__proto__');
const ref = fc.oneof(
  fc.string(),
  fc.tuple(name, name).map(([source, element]) => `${source}::${element}`),
  fc.tuple(id, name, name).map(([prefix, source, element]) => `${prefix}/${source}::${element}`),
);
const elements = fc
  .uniqueArray(name, { maxLength: 4 })
  .map((names) => Object.fromEntries(names.map((n) => [n, `own ${n}`])));
const skills = fc.uniqueArray(
  fc
    .record({ id: name, rules: elements, errors: elements, operations: elements })
    .map((fields) => skill(fields as unknown as Parameters<typeof skill>[0])),
  { selector: (part) => part.id, maxLength: 3 },
);
const scope = fc.record(
  {
    library: fc
      .tuple(skills, skills)
      .map(([one, meta]) => library(workflow('one', { skills: one }), workflow('meta', { skills: meta }))),
    workflowId: id,
    lender: id,
  },
  { requiredKeys: ['library'] },
);

test('Resolving never throws, answers the references in their order, and returns only own properties', () => {
  fc.assert(
    fc.property(fc.array(ref, { maxLength: 6 }), scope, (refs, from) => {
      const found = resolveOperations(refs, from);
      expect(found.slice(0, refs.length).map((element) => element.ref)).toEqual(refs);
      for (const { type, name: element, body } of found) {
        if (type === 'not-found') expect(body).toBeUndefined();
        else expect(body).toBe(`own ${element}`);
      }
    }),
  );
});

test('Each rule is appended once, and only for skills in which something was found', () => {
  fc.assert(
    fc.property(fc.array(ref, { maxLength: 6 }), scope, (refs, from) => {
      const found = resolveOperations(refs, from);
      const touched = new Set(
        found
          .slice(0, refs.length)
          .filter(({ type }) => type !== 'not-found')
          .map(({ workflow: at, source }) => `${at}/${source}`),
      );
      const appended = found.slice(refs.length);
      expect(new Set(appended.map((rule) => rule.ref)).size).toBe(appended.length);
      for (const { type, workflow: at, source } of appended) {
        expect(type).toBe('rule');
        expect(touched).toContain(`${at}/${source}`);
      }
    }),
  );
});
