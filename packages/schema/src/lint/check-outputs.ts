import type { FileFinding } from '../findings/collect-findings.ts';
import { activityLocation } from '../findings/collect-findings.ts';
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
  ciOnlyForChecks,
  evidenceKindMissing,
  filledTooLate,
  githubWithoutCi,
  lastItemOnly,
  notFromGitHub,
  onlyForChecks,
} from '../messages/workflow.ts';
import type { ActivityWorkflow } from '../workflow/activity-workflow.ts';
import type { Field, FieldMap, FieldsOfStep, FieldType, InnerField, Evidence } from '../workflow/outputs.ts';
import { fieldsIn, variableTypeOf } from '../workflow/outputs.ts';
import type {
  Criteria,
  StepWorkflowDefinition,
  VariableSetters,
  VariableType,
} from '../workflow/step-workflow.ts';
import type { WalkedActivityStep } from '../workflow/walk.ts';
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

/**
 * Finds evidence with the same id as another in the activity, evidence of no kind or of several kinds, and evidence
 * whose variables do not have the right values when the agent collects it.
 */
export function* checkActivityEvidence({ activities }: ActivityWorkflow): Generator<FileFinding> {
  for (const part of activities) {
    const firsts = new Map<string, string>();
    const setBy = new Map<string, string>();
    for (const walked of walkActivitySteps(part.definition)) {
      const { step, pointer } = walked;
      const found = [
        ...checkList(step.evidence ?? [], `${pointer}/evidence`, firsts),
        ...checkTime(walked, setBy),
        ...checkItem(walked),
      ];
      for (const { pointer: at, ...finding } of found) yield { ...activityLocation(part, at), ...finding };
      for (const name of Object.keys(step.sets ?? {})) setBy.set(name, step.id);
    }
  }
}

/**
 * Finds evidence that names a variable which an earlier step of the same activity sets by its output. The agent
 * collects evidence before it submits outputs, so the variable does not have its new value yet.
 */
function* checkTime(
  { step, pointer }: WalkedActivityStep,
  setBy: ReadonlyMap<string, string>,
): Generator<Finding> {
  for (const [at, evidence] of (step.evidence ?? []).entries()) {
    const late = namesIn(evidence).flatMap((name) => {
      const by = setBy.get(name) ?? setBy.get(name.split('.', 1)[0] ?? '');
      return by === undefined ? [] : [{ name, by }];
    })[0];
    if (late !== undefined)
      yield {
        severity: 'warning',
        code: 'stuck',
        pointer: `${pointer}/evidence/${at}`,
        ...filledTooLate(evidence.id, late.name, late.by),
      };
  }
}

/** Finds evidence that names the item of a loop over steps. */
function* checkItem({ step, pointer, loop }: WalkedActivityStep): Generator<Finding> {
  const { id = '', variable } = loop ?? {};
  if (variable === undefined) return;
  for (const [at, evidence] of (step.evidence ?? []).entries()) {
    if (namesIn(evidence).some((name) => name.split('.', 1)[0] === variable))
      yield {
        severity: 'warning',
        code: 'no-effect',
        pointer: `${pointer}/evidence/${at}`,
        ...lastItemOnly(evidence.id, variable, id),
      };
  }
}

/** Returns the variables that evidence names. */
function namesIn(evidence: Evidence): readonly string[] {
  const named = JSON.stringify(evidence).matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g);
  return [...named].map(([, name = '']) => name);
}

/** Checks the evidence of a step workflow, where each step is an activity of its own. */
export function* checkStepEvidence({ steps }: StepWorkflowDefinition): Generator<Finding> {
  for (const { step, pointer } of walkSteps(steps)) {
    if (step.type !== 'loop') yield* checkList(step.evidence ?? [], `${pointer}/evidence`, new Map());
  }
}

const kinds = ['check', 'git', 'changes', 'file'] as const;

const checkOptions = ['tests', 'min', 'max_failures', 'coverage', 'github'] as const;

function* checkList(
  list: readonly Evidence[],
  pointer: string,
  firsts: Map<string, string>,
): Generator<Finding> {
  for (const [at, evidence] of list.entries()) {
    const place = `${pointer}/${at}`;
    const first = firsts.get(evidence.id);
    if (first === undefined) firsts.set(evidence.id, place);
    else
      yield {
        severity: 'error',
        code: 'duplicate-id',
        pointer: `${place}/id`,
        ...duplicateId('evidence', evidence.id, first),
      };
    const found = kinds.filter((kind) => kind in evidence);
    if (found.length !== 1)
      yield {
        severity: 'error',
        code: 'wrong-value',
        pointer: place,
        ...evidenceKindMissing(evidence.id, found),
      };
    yield* checkLevel(evidence, place);
    if ('check' in evidence) continue;
    for (const option of checkOptions) {
      if (option in evidence)
        yield {
          severity: 'error',
          code: 'wrong-value',
          pointer: `${place}/${option}`,
          ...onlyForChecks(evidence.id, option),
        };
    }
  }
}

/** Finds levels that the evidence can't reach, and `github` settings that have no effect or always fail. */
function* checkLevel(evidence: Evidence, place: string): Generator<Finding> {
  const { id, level } = evidence;
  const wrong = { severity: 'error', code: 'wrong-value' } as const;
  if (!('check' in evidence)) {
    if (level === 'ci') yield { ...wrong, pointer: `${place}/level`, ...ciOnlyForChecks(id) };
    return;
  }
  if (evidence.github === undefined) return;
  const counts = (['tests', 'min', 'coverage'] as const).filter((one) => evidence[one] !== undefined);
  if (level !== 'ci') yield { ...wrong, pointer: `${place}/github`, ...githubWithoutCi(id) };
  else if (counts.length > 0) yield { ...wrong, pointer: `${place}/github`, ...notFromGitHub(id, counts) };
}
