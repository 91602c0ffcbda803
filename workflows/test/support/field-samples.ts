import type { Field, FieldsOfStep, Json, JsonObject, Workflow } from '@workflowlookup/schema';
import { fieldsIn, walkActivitySteps, walkSteps } from '@workflowlookup/schema';

/** A step that asks for fields. */
export interface StepWithFields extends FieldsOfStep {
  readonly id: string;
  readonly fields: readonly Field[];
}

/** Returns the steps of a workflow that ask for fields, by id. */
export function stepsWithFields(workflow: Workflow): ReadonlyMap<string, StepWithFields> {
  const all: readonly (FieldsOfStep & { readonly id: string })[] =
    workflow.kind === 'steps'
      ? [...walkSteps(workflow.definition.steps)].flatMap(({ step }) => (step.type === 'loop' ? [] : [step]))
      : workflow.activities.flatMap(({ definition }) =>
          [...walkActivitySteps(definition)].map(({ step }) => step),
        );
  return new Map(
    all.flatMap(({ id, fields, sets = {} }) => (fields === undefined ? [] : [[id, { id, fields, sets }]])),
  );
}

/** Returns an output that a step accepts and that sets variables to these values. */
export function sampleOf(
  { fields, sets = {} }: StepWithFields,
  values: JsonObject = {},
  base: JsonObject = {},
): JsonObject {
  const given = Object.entries(sets).flatMap(([variable, field]) =>
    values[variable] === undefined ? [] : [[field, values[variable]] as const],
  );
  return { ...objectOf(fields), ...base, ...Object.fromEntries(given) };
}

/** Returns the values without the variables that fields of these steps set. */
export function withoutFields(
  values: JsonObject,
  steps: Iterable<Pick<StepWithFields, 'sets'> | undefined>,
): JsonObject {
  const set = new Set([...steps].flatMap((step) => Object.keys(step?.sets ?? {})));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !set.has(name)));
}

function objectOf(fields: readonly Field[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field.id, valueOf(field)]));
}

function valueOf({ type = 'text', ...field }: Omit<Field, 'id'>): Json {
  switch (type) {
    case 'text':
      return 'What was done and seen, in words that somebody else can check. '.repeat(2).trim();
    case 'number':
      return field.min ?? 1;
    case 'boolean':
      return true;
    case 'choice':
      return field.options?.[0] ?? '';
    case 'list': {
      const { items = 'text', options, min_items: least = 1 } = field;
      const item = typeof items === 'string' ? valueOf({ type: items }) : objectOf(fieldsIn(items));
      return Array.from({ length: Math.max(least, 1) }, () => options?.[0] ?? item);
    }
    case 'object':
      return objectOf(fieldsIn(field.properties ?? {}));
  }
}

/** Writes an output as a text with a heading for each field. */
export function withHeadings(output: JsonObject): string {
  return Object.entries(output)
    .map(([id, value]) => `## ${id}\n\n${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
    .join('\n');
}
