import type { FileFinding } from '../findings/collect-findings.ts';
import { inFile } from '../findings/collect-findings.ts';
import type { Finding, Placed } from '../findings/finding.ts';
import { didYouMean, placed } from '../findings/finding.ts';
import type { Json } from '../json.ts';
import { escapePointer } from '../json.ts';
import { messages } from '../messages/workflow.ts';
import type {
  Activity,
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
  Checkpoint,
} from '../workflow/activity-workflow.ts';
import type { Field, FieldMap, FieldsOfStep, FieldType, InnerField, Evidence } from '../workflow/outputs.ts';
import { fieldsIn } from '../workflow/outputs.ts';
import type {
  Criteria,
  StepWorkflowDefinition,
  VariableDeclaration,
  VariableType,
} from '../workflow/step-workflow.ts';
import { walkActions, walkActivitySteps, walkRules, walkSteps } from '../workflow/walk.ts';
import { duplicateIds } from './check-activities.ts';
import { namesSetByOptions, rootOf } from './variable-uses.ts';

/** A declared variable, as far as fields depend on it. */
type Declared = Pick<VariableDeclaration, 'name' | 'type' | 'set_by'>;

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
    for (const { step, pointer } of walkActivitySteps(part.definition))
      yield* inFile(part, findingsOf(step, { pointer, variables, place: part.id }));
  }
}

/** Where a step is, and the variables it can set. */
interface Scope {
  readonly pointer: string;
  readonly variables: readonly Declared[];
  /** The id under which `set_by` names the step: its own, or that of its activity. */
  readonly place: string;
}

function* findingsOf(step: StepWithFields, scope: Scope): Generator<Finding> {
  const { pointer } = scope;
  const { id, fields, sets } = step;
  if (fields !== undefined) yield* wrongFields(fields, `${pointer}/fields`);
  else if (sets !== undefined) yield { ...messages.fieldsMissing(id), pointer: `${pointer}/sets` };
  yield* wrongSets(step, scope);
  yield* wrongRules(step, pointer);
}

function* wrongFields(fields: readonly Field[], pointer: string): Generator<Finding> {
  const all = placed(fields, pointer);
  yield* duplicateIds('field', all);
  for (const { item, pointer: place } of all) yield* wrongField(item, place);
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
    yield { ...messages.unusableProperty(name, id, type, types), pointer: `${pointer}/${name}` };
  }
  if (type === 'choice' && options === undefined) yield { ...messages.noOptions(id), pointer };
  for (const [least, most] of bounds) {
    const [min, max] = [field[least], field[most]];
    if (min === undefined || max === undefined || min <= max) continue;
    const problem = messages.impossibleBounds(id, `${least} ${min}`, `${most} ${max}`);
    yield { ...problem, pointer: `${pointer}/${least}` };
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

/** The type of the variable that can hold the value of a field. */
const variableTypes: Readonly<Record<FieldType, VariableType>> = {
  text: 'string',
  choice: 'string',
  number: 'number',
  boolean: 'boolean',
  list: 'array',
  object: 'object',
};

/** Finds fields that the step does not have, and variables that a field can't set. */
function* wrongSets({ id, fields = [], sets = {} }: StepWithFields, scope: Scope): Generator<Finding> {
  const { variables, place } = scope;
  const known = fields.map((field) => field.id);
  for (const [variable, name] of Object.entries(sets)) {
    const pointer = `${scope.pointer}/sets/${escapePointer(variable)}`;
    const field = fields.find((one) => one.id === name);
    if (field === undefined) {
      if (fields.length > 0)
        yield { ...messages.unknownField(id, name, known, didYouMean(name, known)), pointer };
      continue;
    }
    if (variables.length === 0) continue;
    const declared = variables.find((one) => one.name === variable);
    const type = variableTypes[field.type ?? 'text'];
    if (declared === undefined) {
      const names = variables.map((one) => one.name);
      const problem = messages.undeclaredVariable(variable, didYouMean(variable, names));
      yield { ...problem, severity: 'error', pointer };
    } else if (declared.type !== type)
      yield { ...messages.fieldOfOtherType(variable, declared.type, name, type), pointer };
    else if (!maySet(declared, place))
      yield { ...messages.setByOthers(variable, place, [declared.set_by ?? []].flat()), pointer };
  }
}

function maySet({ set_by: setBy }: Declared, place: string): boolean {
  if (setBy === undefined) return true;
  const all = [setBy].flat();
  return all.includes('agent') || all.includes(place);
}

/** Finds rules that check a field which the step does not have. */
function* wrongRules(
  { id, fields = [], validationCriteria }: StepWithFields,
  place: string,
): Generator<Finding> {
  const known = fields.map((field) => field.id);
  for (const { rule, pointer } of walkRules(validationCriteria, `${place}/validationCriteria`)) {
    const { field } = rule;
    if (field === undefined || known.includes(field)) continue;
    const problem = messages.unknownField(id, field, known, didYouMean(field, known));
    yield { ...problem, pointer: `${pointer}/field` };
  }
}

/**
 * Warns about fields that set a variable after an answer has set it. Agents can't change the variable then, so the
 * server refuses the output and the session is stuck. Reports only steps that every session does after the answer.
 */
export function* checkProtectedVariables(workflow: ActivityWorkflow): Generator<FileFinding> {
  const reported = new Set<string>();
  for (const { answer, part } of stepsAfterAnswers(workflow)) {
    for (const [at, step] of (part.definition.steps ?? []).entries()) {
      if (!changes(step, answer)) continue;
      const pointer = `/steps/${at}/sets/${escapePointer(answer.variable)}`;
      const place = `${part.id}${pointer}`;
      if (reported.has(place)) continue;
      reported.add(place);
      const { variable, checkpoint, asking } = answer;
      const problem = messages.setAfterAnswer(variable, step.id, checkpoint, asking);
      yield { ...problem, file: part.file, pointer: part.pointer + pointer };
    }
  }
}

/** The answer to a checkpoint, which sets a variable. */
interface Answer {
  readonly variable: string;
  readonly checkpoint: string;
  /** The activity that asks. */
  readonly asking: string;
  /** The values that the variable can have after it. */
  readonly values: readonly Json[];
}

interface After {
  readonly answer: Answer;
  /** The activity that the session is in after the answer, or one that it always enters later. */
  readonly part: ActivityPart;
}

function* stepsAfterAnswers(workflow: ActivityWorkflow): Generator<After> {
  const parts = new Map(workflow.activities.map((part) => [part.id, part]));
  for (const part of workflow.activities) {
    for (const asked of part.definition.checkpoints ?? []) {
      for (const variable of new Set(namesSetByOptions(asked))) {
        if (!isOpen(workflow, variable)) continue;
        const about = { variable, checkpoint: asked.id, asking: part.id };
        const setting = asked.options.flatMap(({ effect: { setVariable, ...effect } = {} }) => {
          const value = setVariable?.[variable];
          return value === undefined ? [] : [{ value, ...effect }];
        });
        const values = setting.map(({ value }) => value);
        // The outputs of an activity are submitted after its questions.
        if (setting.length === asked.options.length && isCertain(part.definition, asked))
          yield { answer: { ...about, values }, part };
        for (const { value, transitionTo = onlyNext(part.definition), skipActivities = [] } of setting) {
          const skipped = new Set([part.id, ...skipActivities]);
          for (const later of certainlyAfter(transitionTo, parts, skipped))
            yield { answer: { ...about, values: [value] }, part: later };
        }
      }
    }
  }
}

/** Returns whether a variable has no `set_by` and no action that sets it, so that only the answer restricts it. */
function isOpen({ definition: { variables = [] }, activities }: ActivityWorkflow, name: string): boolean {
  if (variables.find((one) => one.name === name)?.set_by !== undefined) return false;
  return !activities.some(({ definition }) =>
    [...walkActions(definition)].some(({ action }) => action.action === 'set' && action.target === name),
  );
}

/** Returns whether a session must answer a checkpoint before it can leave the activity. */
function isCertain(activity: Activity, { id, condition, approver }: Checkpoint): boolean {
  if (condition !== undefined) return false;
  const asking = [...walkActivitySteps(activity)].filter(({ step }) => step.checkpoint === id);
  if (asking.length === 0) return approver === 'human';
  return asking.some(({ step, loop }) => loop === undefined && isDone(step));
}

/** Returns whether a step is done in every visit of its activity. */
function isDone({ required, may_be_missing: mayBeMissing, when, condition }: ActivityStep): boolean {
  return required !== false && mayBeMissing !== true && when === undefined && condition === undefined;
}

/** Returns whether a step sets the variable of an answer with a field that is not meant to repeat the answer. */
function changes(step: ActivityStep, { variable, values }: Answer): boolean {
  const field = step.fields?.find(({ id }) => id === step.sets?.[variable]);
  if (field === undefined || field.required === false || !isDone(step)) return false;
  return !mayRepeat(field, values);
}

/** Returns whether a field can repeat the answer: a boolean, or a choice that includes a value of the answer. */
function mayRepeat({ type = 'text', options = [] }: Field, values: readonly Json[]): boolean {
  if (type === 'boolean') return true;
  return type === 'choice' && values.some((value) => options.some((option) => option === value));
}

/** Returns the activities that every session enters one after the other, up to the first fork. */
function certainlyAfter(
  first: string | undefined,
  parts: ReadonlyMap<string, ActivityPart>,
  skipped: ReadonlySet<string>,
): readonly ActivityPart[] {
  const passed = new Set<string>();
  const found: ActivityPart[] = [];
  for (let id = first; id !== undefined && !passed.has(id) && !skipped.has(id);) {
    const part = parts.get(id);
    if (part === undefined) break;
    passed.add(id);
    found.push(part);
    id = onlyNext(part.definition);
  }
  return found;
}

/** Returns the activity that always comes after another one, if there is only one. */
function onlyNext({
  transitions = [],
  decisions = [],
  loops = [],
  checkpoints = [],
}: Activity): string | undefined {
  const isFree =
    decisions.length > 0 ||
    loops.some(({ activities = [] }) => activities.length > 0) ||
    checkpoints.some(({ options }) => options.some(({ effect }) => effect?.transitionTo !== undefined));
  const [only, ...others] = transitions;
  return isFree || others.length > 0 || only?.condition !== undefined ? undefined : only?.to;
}

/**
 * Finds evidence with the same id as another in the activity, evidence of no kind or of several kinds, and evidence
 * whose variables do not have the right values when the agent collects it.
 */
export function* checkActivityEvidence({ activities }: ActivityWorkflow): Generator<FileFinding> {
  for (const part of activities) {
    const walked = [...walkActivitySteps(part.definition)];
    const all = walked.flatMap(({ step, pointer }) => placed(step.evidence, `${pointer}/evidence`));
    yield* inFile(part, [...wrongEvidence(all), ...untimelyEvidence(part.definition)]);
  }
}

/** Checks the evidence of a step workflow, where each step is an activity of its own. */
export function* checkStepEvidence({ steps }: StepWorkflowDefinition): Generator<Finding> {
  for (const { step, pointer } of walkSteps(steps)) {
    if (step.type !== 'loop') yield* wrongEvidence(placed(step.evidence, `${pointer}/evidence`));
  }
}

/**
 * Finds evidence that names a variable which an earlier step of the same activity sets by its output, or the item of a
 * loop over steps. The agent collects evidence before it submits outputs, and once for all items, so the variable does
 * not have the right value.
 */
function* untimelyEvidence(activity: Activity): Generator<Finding> {
  const setBy = new Map<string, string>();
  for (const { step, pointer: place, loop } of walkActivitySteps(activity)) {
    for (const { id, item: evidence, pointer } of placed(step.evidence, `${place}/evidence`)) {
      const names = namesIn(evidence);
      const late = names.find((name) => setBy.has(name) || setBy.has(rootOf(name)));
      if (late !== undefined) {
        const by = setBy.get(late) ?? setBy.get(rootOf(late)) ?? '';
        yield { ...messages.filledTooLate(id, late, by), pointer };
      }
      const item = loop?.variable;
      if (loop !== undefined && item !== undefined && names.some((name) => rootOf(name) === item))
        yield { ...messages.lastItemOnly(id, item, loop.id), pointer };
    }
    for (const name of Object.keys(step.sets ?? {})) setBy.set(name, step.id);
  }
}

/** Returns the variables that evidence names. */
function namesIn(evidence: Evidence): readonly string[] {
  const named = JSON.stringify(evidence).matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g);
  return [...named].map(([, name = '']) => name);
}

const kinds = ['check', 'git', 'changes', 'file'] as const;

const checkOptions = ['tests', 'min', 'max_failures', 'coverage', 'github'] as const;

function* wrongEvidence(all: readonly Placed<Evidence>[]): Generator<Finding> {
  yield* duplicateIds('evidence', all);
  for (const { id, item: evidence, pointer } of all) {
    const found = kinds.filter((kind) => kind in evidence);
    if (found.length !== 1) yield { ...messages.evidenceKindMissing(id, found), pointer };
    yield* wrongLevel(evidence, pointer);
    if ('check' in evidence) continue;
    for (const option of checkOptions)
      if (option in evidence)
        yield { ...messages.onlyForChecks(id, option), pointer: `${pointer}/${option}` };
  }
}

/** Finds levels that the evidence can't reach, and `github` settings that have no effect or always fail. */
function* wrongLevel(evidence: Evidence, place: string): Generator<Finding> {
  const { id, level } = evidence;
  if (!('check' in evidence)) {
    if (level === 'ci') yield { ...messages.ciOnlyForChecks(id), pointer: `${place}/level` };
    return;
  }
  if (evidence.github === undefined) return;
  const pointer = `${place}/github`;
  const counts = (['tests', 'min', 'coverage'] as const).filter((one) => evidence[one] !== undefined);
  if (level !== 'ci') yield { ...messages.githubWithoutCi(id), pointer };
  else if (counts.length > 0) yield { ...messages.notFromGitHub(id, counts), pointer };
}
