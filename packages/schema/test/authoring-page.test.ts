import { jsonSchemas } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../../test/support/documents.ts';

/** The parts of a JSON Schema that these tests read. */
interface ObjectSchema {
  readonly properties?: object;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, ObjectSchema>>;
}

const page = textOf('docs/authoring.md');

/** Returns a JSON Schema, or one of its definitions. */
function partOf(name: keyof typeof jsonSchemas, part?: string): ObjectSchema {
  const schema: ObjectSchema = jsonSchemas[name];
  return part === undefined ? schema : (schema.$defs?.[part] ?? {});
}

/** Returns the fields of a schema as the page writes them. */
function fieldsOf({ properties = {}, required = [] }: ObjectSchema): readonly string[] {
  const names = Object.keys(properties).filter((name) => name !== '$schema');
  return names.map((name) => `\`${name}\`${required.includes(name) ? '\\*' : ''}`).toSorted();
}

/** Returns the names in the cells of a row or column. */
function namedIn(text: string): readonly string[] {
  return [...text.matchAll(/`\w+`(\\\*)?/g)].map(([name]) => name).toSorted();
}

/** Returns the first column below a heading. */
function columnBelow(heading: string): string {
  const [, rows = ''] = new RegExp(`^\\| ${heading} +\\|.*\\n.*\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? [];
  return rows.replaceAll(/^\|([^|]*)\|.*$/gm, '$1');
}

describe('docs/authoring.md', () => {
  test('names every field of a step workflow', () => {
    expect(namedIn(columnBelow('of the workflow'))).toEqual(fieldsOf(partOf('step-workflow')));
  });

  test('names every field of a step', () => {
    const fields = fieldsOf(partOf('step-workflow', 'promptStep'));
    expect(namedIn(columnBelow('of a step'))).toEqual(fields.filter((field) => field !== '`type`'));
  });

  test.each([
    ['workflow', partOf('activity-workflow')],
    ['variable', partOf('activity-workflow', 'variable')],
    ['mode', partOf('activity-workflow', 'mode')],
    ['location', partOf('activity-workflow', 'location')],
    ['activity', partOf('activity')],
    ...Object.entries(partOf('activity').$defs ?? {}).filter(([, { required }]) => required !== undefined),
    ['effect', partOf('activity', 'effect')],
    ['skill', partOf('skill')],
    ['operation', partOf('skill', 'operation')],
  ] as const)('names every field of a %s of an activity workflow', (name, part) => {
    const [row = ''] = new RegExp(`^\\| ${name} +\\|.*$`, 'm').exec(page) ?? [];
    expect(namedIn(row)).toEqual(fieldsOf(part));
  });
});
