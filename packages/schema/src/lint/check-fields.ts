import type { FileFinding } from '../findings/collect-findings.ts';
import type { Finding } from '../findings/finding.ts';
import { didYouMean } from '../findings/finding.ts';
import { escapePointer } from '../json.ts';
import {
  didYouMeanThis,
  declareVariable,
  duplicateId,
  fieldOfOtherType,
  fieldsMissing,
  impossibleBounds,
  nameAField,
  noOptions,
  setByOthers,
  undeclaredVariable,
  unknownFieldOf,
  unusableProperty,
} from '../messages/workflow.ts';
import type { ActivityWorkflow } from '../workflow/activity-workflow.ts';
import type { Field, FieldMap, FieldsOfStep, FieldType, InnerField } from '../workflow/outputs.ts';
import { fieldsIn, variableTypeOf } from '../workflow/outputs.ts';
import type {
  Criteria,
  StepWorkflowDefinition,
  VariableSetters,
  VariableType,
} from '../workflow/step-workflow.ts';
import { walkActivitySteps, walkSteps } from '../workflow/walk.ts';

/** A declared variable, as far as fields depend on it. */
interface Declared {
  readonly name: string;
  readonly type: VariableType;
  readonly set_by?: VariableSetters;
}

interface StepWithFields extends FieldsOfStep {
  readonly id: string;
  readonly validationCriteria?: Criteria;
}

/** Finds fields of a step workflow that can't be used, and variables that its fields can't set. */
export function* lintFields({ steps, variables = [] }: StepWorkflowDefinition): Generator<Finding> {
  for (const { step, pointer } of walkSteps(steps)) {
    if (step.type !== 'loop') yield* findingsOf(step, { pointer, variables, place: step.id });
  }
}

/** Does the same as {@link lintFields} for the steps of an activity workflow. */
export function* lintActivityFields({ definition, activities }: ActivityWorkflow): Generator<FileFinding> {
  const { variables = [] } = definition;
  for (const part of activities) {
    for (const { step, pointer } of walkActivitySteps(part.definition)) {
      const found = findingsOf(step, { pointer: part.pointer + pointer, variables, place: part.id });
      for (const finding of found) yield { ...finding, file: part.file };
    }
  }
}

/** Where a step is, and the variables it can set. */
interface Scope {
  readonly pointer: string;
  readonly variables: readonly Declared[];
  /** The id under which `set_by` names the step: its own, or that of its activity. */
  readonly place: string;
}

function* findingsOf(step: StepWithFields, { pointer, ...scope }: Scope): Generator<Finding> {
  const { id, fields, sets, validationCriteria } = step;
  if (fields === undefined) {
    if (sets !== undefined)
      yield { severity: 'error', code: 'unknown-field', pointer: `${pointer}/sets`, ...fieldsMissing(id) };
  } else yield* wrongFields(fields, `${pointer}/fields`);
  yield* wrongSets(step, { pointer: `${pointer}/sets`, ...scope });
  yield* wrongRules(validationCriteria, { pointer: `${pointer}/validationCriteria`, step });
}

function* wrongFields(fields: readonly Field[], pointer: string): Generator<Finding> {
  const firsts = new Map<string, number>();
  for (const [at, field] of fields.entries()) {
    const first = firsts.get(field.id);
    if (first === undefined) firsts.set(field.id, at);
    else
      yield {
        severity: 'error',
        code: 'duplicate-id',
        pointer: `${pointer}/${at}/id`,
        ...duplicateId('field', field.id, `${pointer}/${first}`),
      };
    yield* wrongField(field, `${pointer}/${at}`);
  }
}

/** The properties that only some types have. */
const propertiesOf: Readonly<Record<FieldType, readonly string[]>> = {
  text: ['min_length', 'max_length'],
  number: ['min', 'max'],
  boolean: [],
  choice: ['options'],
  list: ['items', 'options', 'min_items', 'max_items'],
  object: ['properties'],
};

const typeProperties = [...new Set(Object.values(propertiesOf).flat())];

function* wrongField(field: Field, pointer: string): Generator<Finding> {
  const { id, type = 'text', options, items, properties } = field;
  for (const name of typeProperties) {
    if (!Object.hasOwn(field, name) || propertiesOf[type].includes(name)) continue;
    const types = Object.entries(propertiesOf).flatMap(([one, names]) => (names.includes(name) ? [one] : []));
    yield {
      severity: 'error',
      code: 'wrong-value',
      pointer: `${pointer}/${name}`,
      ...unusableProperty(name, id, type, types),
    };
  }
  if (type === 'choice' && options === undefined)
    yield { severity: 'error', code: 'missing-property', pointer, ...noOptions(id) };
  for (const [least, most] of bounds) {
    const [min, max] = [field[least], field[most]];
    if (min === undefined || max === undefined || min <= max) continue;
    yield {
      severity: 'error',
      code: 'wrong-value',
      pointer: `${pointer}/${least}`,
      ...impossibleBounds(id, `${least} ${min}`, `${most} ${max}`),
    };
  }
  if (typeof items === 'object') yield* wrongInner(items, `${pointer}/items`);
  if (properties !== undefined) yield* wrongInner(properties, `${pointer}/properties`);
}

const bounds = [
  ['min_length', 'max_length'],
  ['min', 'max'],
  ['min_items', 'max_items'],
] as const satisfies readonly (readonly [keyof InnerField, keyof InnerField])[];

function* wrongInner(map: FieldMap, pointer: string): Generator<Finding> {
  for (const field of fieldsIn(map)) yield* wrongField(field, `${pointer}/${escapePointer(field.id)}`);
}

/** Finds fields that the step does not have, and variables that a field can't set. */
function* wrongSets({ id, fields = [], sets = {} }: StepWithFields, scope: Scope): Generator<Finding> {
  const byId = new Map(fields.map((field) => [field.id, field]));
  for (const [variable, name] of Object.entries(sets)) {
    const pointer = `${scope.pointer}/${escapePointer(variable)}`;
    const field = byId.get(name);
    if (field === undefined) {
      if (fields.length > 0) yield unknownField(id, name, { pointer, known: [...byId.keys()] });
      continue;
    }
    if (scope.variables.length === 0) continue;
    const declared = scope.variables.find((one) => one.name === variable);
    const type = variableTypeOf(field);
    if (declared === undefined) {
      const meant = didYouMean(
        variable,
        scope.variables.map((one) => one.name),
      );
      const suggestion = meant === undefined ? declareVariable(variable) : didYouMeanThis(meant);
      yield {
        severity: 'error',
        code: 'unknown-variable',
        pointer,
        message: undeclaredVariable(variable),
        suggestion,
      };
    } else if (declared.type !== type)
      yield {
        severity: 'error',
        code: 'wrong-value',
        pointer,
        ...fieldOfOtherType(variable, declared.type, name, type),
      };
    else if (!maySet(declared, scope.place))
      yield {
        severity: 'error',
        code: 'unknown-setter',
        pointer,
        ...setByOthers(variable, scope.place, [declared.set_by ?? []].flat()),
      };
  }
}

function maySet({ set_by: setBy }: Declared, place: string): boolean {
  if (setBy === undefined) return true;
  const all = [setBy].flat();
  return all.includes('agent') || all.includes(place);
}

/** Finds rules that check a field which the step does not have. */
function* wrongRules(
  criteria: Criteria | undefined,
  { pointer, step }: { readonly pointer: string; readonly step: StepWithFields },
): Generator<Finding> {
  if (criteria === undefined || typeof criteria === 'string') return;
  const known = (step.fields ?? []).map(({ id }) => id);
  if ('type' in criteria) {
    const { field } = criteria;
    if (field !== undefined && !known.includes(field))
      yield unknownField(step.id, field, { pointer: `${pointer}/field`, known });
    return;
  }
  for (const [key, member] of Object.entries(criteria) as readonly [string, Criteria][]) {
    if (!key.startsWith('x-')) yield* wrongRules(member, { pointer: `${pointer}/${key}`, step });
  }
}

function unknownField(
  step: string,
  name: string,
  { pointer, known }: { readonly pointer: string; readonly known: readonly string[] },
): Finding {
  const meant = didYouMean(name, known);
  return {
    severity: 'error',
    code: 'unknown-field',
    pointer,
    message: unknownFieldOf(step, name),
    suggestion: meant === undefined ? nameAField(known) : didYouMeanThis(meant),
  };
}
