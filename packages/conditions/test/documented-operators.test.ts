import { jsonSchemas } from '@workflowlookup/schema';
import { expect, test } from 'vitest';
import { textOf } from '../../../test/support/documents.ts';
import { operators } from '../src/operators.ts';
import { signsWithType } from '../src/parse-condition.ts';

const joining = ['var', 'and', 'or', 'not'];
const withType = ['type', 'variable', 'operator', 'value', 'conditions', 'condition'];

interface ConditionSchema {
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
}

const { condition } = jsonSchemas['step-workflow']['$defs'] as unknown as { condition: ConditionSchema };

test('The JSON Schema of conditions has exactly the operators that conditions accept', () => {
  expect(Object.keys(condition.properties).toSorted()).toEqual(
    [...joining, ...operators.keys(), ...withType].toSorted(),
  );
  const described = condition.properties['operator']?.description ?? '';
  const [, list = ''] = /: (.*)\.$/.exec(described) ?? [];
  expect(list.split(/, | or /)).toEqual([...signsWithType.keys()]);
});

test('The section on conditions in docs/authoring.md has every operator', () => {
  const [, section = ''] = /^## Conditions$([\s\S]*?)^## /m.exec(textOf('docs/authoring.md')) ?? [];
  const named = [...section.matchAll(/`(\w+)`|(\w+):/g)].map(([, quoted, key]) => quoted ?? key);
  expect([...operators.keys()].filter((name) => !named.includes(name))).toEqual([]);
});
