import type { FileFinding } from '../findings/collect-findings.ts';
import { activityLocation } from '../findings/collect-findings.ts';
import { createSuggester } from '../findings/finding.ts';
import { escapePointer } from '../json.ts';
import {
  declareVariable,
  hidingLoopName,
  undeclaredVariable,
  changeableValue,
  hidingPath,
} from '../messages/workflow.ts';
import type {
  ActivityPart,
  ActivityWorkflow,
  ActivityWorkflowDefinition,
  Activity,
  Checkpoint,
} from '../workflow/activity-workflow.ts';
import { initialActivityOf } from '../workflow/activity-workflow.ts';
import type { SharedParts } from '../workflow/references.ts';
import {
  parseOperationReference,
  parseResourceReference,
  parseSkillReference,
} from '../workflow/references.ts';
import type { ConditionSource } from '../workflow/step-workflow.ts';
import { conditionsOf, conditionsOfOutcomes, walkActions, walkActivitySteps } from '../workflow/walk.ts';
import type { Reference, ReferenceScope } from './check-activity-references.ts';
import { referencesOf, loopItems, reachedFrom, targetsOf } from './check-activity-references.ts';
import type { DeclaredVariable, ShownVariable, VariableUses } from './variable-uses.ts';
import {
  namesSetByEffects,
  namesSetByModes,
  unsetVariables,
  unusedVariables,
  namesSetByOptions,
} from './variable-uses.ts';

/** Returns the names of the variables in a condition, or none if the condition can't be used. */
export type VariablesOf = (condition: ConditionSource) => Iterable<string>;

interface Use {
  readonly name: string;
  readonly pointer: string;
}

export interface VariableScope {
  readonly workflow: ActivityWorkflow;
  readonly file: string;
  readonly variablesOf: VariablesOf;
}

/**
 * Warns about variables that conditions, messages or artifact names use without a declaration, once per file and
 * variable. Skips workflows that declare no variables.
 */
export function* checkVariables({ workflow, file, variablesOf }: VariableScope): Generator<FileFinding> {
  const { variables, modes = [] } = workflow.definition;
  if (variables === undefined) return;
  // A mode implicitly declares its activation variable.
  const declared = new Set([
    ...variables.map(({ name }) => name),
    ...modes.map(({ activationVariable }) => activationVariable),
  ]);
  const suggest = createSuggester(declared);
  const itemsAt = loopItems(workflow);
  const ofSessions = usesInSessionTexts(workflow.definition, variablesOf);
  yield* undeclared([...usesInWorkflow(workflow.definition), ...ofSessions], {
    declared,
    suggest,
    file,
    pointer: '',
  });
  for (const part of workflow.activities) {
    const { file: partFile, pointer } = part;
    const uses = usesInActivity(part, variablesOf);
    const known = new Set([...declared, ...itemsAt(part.id)]);
    yield* undeclared(uses, { declared: known, suggest, file: partFile, pointer });
  }
}

/** A file that uses variables, and the variables declared for it. */
interface UseScope {
  readonly declared: ReadonlySet<string>;
  readonly suggest: ReturnType<typeof createSuggester>;
  readonly file: string;
  readonly pointer: string;
}

function* undeclared(
  uses: Iterable<Use>,
  { declared, suggest, file, pointer }: UseScope,
): Generator<FileFinding> {
  const reported = new Set<string>();
  for (const use of uses) {
    const root = use.name.split('.')[0] ?? '';
    if (declared.has(use.name) || declared.has(root) || reported.has(root)) continue;
    reported.add(root);
    yield {
      severity: 'warning',
      code: 'unknown-variable',
      file,
      pointer: pointer + use.pointer,
      message: undeclaredVariable(root),
      suggestion: suggest(root, declareVariable(root)),
    };
  }
}

function* usesInWorkflow({ artifactLocations = {} }: ActivityWorkflowDefinition): Generator<Use> {
  for (const [name, location] of Object.entries(artifactLocations)) {
    const pointer = `/artifactLocations/${escapePointer(name)}`;
    if (typeof location === 'string') yield* usesInText(location, pointer);
    else yield* usesInText(location.path, `${pointer}/path`);
  }
}

function* usesInSessionTexts(
  definition: ActivityWorkflowDefinition,
  variablesOf: VariablesOf,
): Generator<Use> {
  yield* usesInText(definition.session_title, '/session_title');
  for (const { source, pointer } of conditionsOfOutcomes(definition))
    for (const name of variablesOf(source)) yield { name, pointer };
}

function* usesInActivity({ definition }: ActivityPart, variablesOf: VariablesOf): Generator<Use> {
  for (const { source, pointer } of conditionsOf(definition)) {
    for (const name of variablesOf(source)) yield { name, pointer };
  }
  for (const [at, { over }] of (definition.loops ?? []).entries()) {
    if (over !== undefined) yield { name: over, pointer: `/loops/${at}/over` };
  }
  yield* usesInTexts(definition);
}

function* usesInTexts(activity: Activity): Generator<Use> {
  for (const { action, pointer } of walkActions(activity)) {
    yield* usesInText(action.message, `${pointer}/message`);
  }
  for (const [at, { message }] of (activity.checkpoints ?? []).entries()) {
    yield* usesInText(message, `/checkpoints/${at}/message`);
  }
  for (const [at, { name }] of (activity.artifacts ?? []).entries()) {
    yield* usesInText(name, `/artifacts/${at}/name`);
  }
}

/** Returns the variables written as `{name}` in a text; `{{name}}` is a different notation. */
function* usesInText(text: string | undefined, pointer: string): Generator<Use> {
  if (text?.includes('{') !== true) return;
  for (const [, name = ''] of text.matchAll(/(?<!\{)\{([A-Za-z_]\w*(?:\.\w+)*)\}(?!\})/g)) {
    yield { name, pointer };
  }
}

/**
 * Warns about variables that are never read, and about variables that a text shows although nothing sets them. The
 * skills and resources of other workflows that this one refers to may read or set them too.
 */
export async function checkVariableUses({
  workflow,
  file,
  lookup,
}: ReferenceScope): Promise<readonly FileFinding[]> {
  const { variables = [] } = workflow.definition;
  const declared = variables.map(({ name, defaultValue, required = false }, at): DeclaredVariable => ({
    name,
    isGiven: required || defaultValue !== undefined,
    pointer: `/variables/${at}/name`,
  }));
  if (declared.length === 0) return [];
  const uses = { ...usesOf(workflow), texts: await availableTexts({ workflow, file, lookup }) };
  const unset = unsetVariables(declared, shownIn(workflow, file), uses);
  return [
    ...unusedVariables(declared, uses).map((finding) => ({ ...finding, file })),
    ...Array.from(unset, ({ finding, shown }) => ({ ...finding, file: shown.file })),
  ];
}

/**
 * Returns the texts of the skills and resources that the workflow contains or refers to. Those of `meta` are available
 * to every workflow.
 */
async function availableTexts({ workflow, file, lookup }: ReferenceScope): Promise<readonly string[]> {
  const ids = new Set([
    workflow.id,
    'meta',
    ...workflow.activities.flatMap(({ lender }) => lender ?? []),
    ...Array.from(referencesOf(workflow, file), workflowIn),
  ]);
  const others = [...ids].filter((id) => id !== undefined);
  const available = await Promise.all(others.map(lookup.partsOf));
  return available.flatMap((parts) => (parts === undefined ? [] : partTexts(parts)));
}

function workflowIn({ kind, name }: Reference): string | undefined {
  if (kind === 'skill') return parseSkillReference(name).workflow;
  return (kind === 'operation' ? parseOperationReference(name) : parseResourceReference(name))?.workflow;
}

function partTexts({ skills, resources }: SharedParts): readonly string[] {
  return [...skills.map(({ text }) => text), ...resources.map(({ body }) => body)];
}

function usesOf({ definition, activities }: ActivityWorkflow): Omit<VariableUses, 'texts'> {
  const { modes, rules, artifactLocations, session_title: title, session_outcomes: outcomes } = definition;
  const all = activities.map((part) => part.definition);
  return {
    anywhere: [modes, rules, artifactLocations, title, outcomes, ...all.map(withoutTargets)],
    set: new Set([...namesSetByModes(definition), ...all.flatMap(namesSetByEffects)]),
  };
}

/** Removes the targets of `set` actions, because setting a variable doesn't read it. */
function withoutTargets(activity: Activity): unknown {
  return JSON.parse(JSON.stringify(activity), (_key, value: unknown) =>
    isSetting(value) ? { ...value, target: '' } : value,
  );
}

function isSetting(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'action' in value && value.action === 'set';
}

interface ShownInFile extends ShownVariable {
  readonly file: string;
}

function* shownIn({ definition, activities }: ActivityWorkflow, file: string): Generator<ShownInFile> {
  yield* withFile(usesInWorkflow(definition), { file, pointer: '', place: () => 'a path of artifacts' });
  for (const { definition: activity, id, ...part } of activities) {
    yield* withFile(usesInTexts(activity), { ...part, place: () => `a text of activity '${id}'` });
  }
}

function* withFile(
  uses: Iterable<Use>,
  { file, pointer, place }: Omit<ShownInFile, 'root'>,
): Generator<ShownInFile> {
  for (const use of uses)
    yield { root: use.name.split('.', 1)[0] ?? '', file, pointer: pointer + use.pointer, place };
}

/** Warns about names of loop items that hide a variable. */
export function* checkLoopNames(workflow: ActivityWorkflow): Generator<FileFinding> {
  const held = usedElsewhere(workflow);
  for (const part of workflow.activities) {
    for (const [at, { id, variable, over }] of (part.definition.loops ?? []).entries()) {
      if (variable === undefined || (variable !== over && !held.has(variable))) continue;
      const hidden = variable === over ? 'its own list' : `the variable '${variable}'`;
      yield {
        ...activityLocation(part, `/loops/${at}/variable`),
        severity: 'warning',
        code: 'shadowed-name',
        ...hidingLoopName('item', variable, id, hidden),
      };
    }
  }
}

/**
 * Returns the declared variables that are used for more than a loop item: they get a value elsewhere, or are shown
 * where no loop sets them.
 */
function usedElsewhere(workflow: ActivityWorkflow): ReadonlySet<string> {
  const { activities, definition } = workflow;
  const itemsAt = loopItems(workflow);
  const others = new Set([
    ...namesSetByModes(definition),
    ...activities.flatMap((part) => [
      ...namesSetByEffects(part.definition),
      ...shownOutsideLoops(part.definition, itemsAt(part.id)),
    ]),
  ]);
  return new Set(
    (definition.variables ?? [])
      .filter(
        ({ name, defaultValue, required }) => required || defaultValue !== undefined || others.has(name),
      )
      .map(({ name }) => name),
  );
}

function shownOutsideLoops(activity: Activity, items: ReadonlySet<string>): readonly string[] {
  return Array.from(usesInTexts(activity), ({ name }) => name.split('.', 1)[0] ?? '').filter(
    (root) => !items.has(root),
  );
}

/**
 * Warns about variables that a question to a person shows and that `set_by` lets agents change afterwards, if the
 * session can then return to the approved activity without asking again.
 */
export function* checkShownValues({ workflow, file, variablesOf }: VariableScope): Generator<FileFinding> {
  const { variables = [] } = workflow.definition;
  const checkpoints = workflow.activities.flatMap(({ definition }) => definition.checkpoints ?? []);
  const words = new Set(['checkpoint', ...checkpoints.map(({ id }) => id)]);
  for (const [at, { name, set_by: setBy }] of variables.entries()) {
    if (setBy === undefined) continue;
    const named = [setBy].flat().filter((id) => !words.has(id));
    const setters = named.includes('agent') ? workflow.activities.map(({ id }) => id) : named;
    const found = workflow.activities.flatMap(({ id, definition }) =>
      (definition.checkpoints ?? [])
        .filter((asked) => asked.approver === 'human' && namesIn(asked).has(name))
        .flatMap((asked) => {
          const isAsked = !mayBeLeftOut(definition, asked, variablesOf);
          const setter = setters.find((one) => redoes(workflow, { asking: id, asked, isAsked, setter: one }));
          return setter === undefined ? [] : [{ checkpoint: asked.id, activity: id, setter }];
        }),
    );
    const [first] = found;
    if (first === undefined) continue;
    yield {
      severity: 'warning',
      code: 'open-decision',
      file,
      pointer: `/variables/${at}/set_by`,
      ...changeableValue(name, first),
    };
  }
}

const marker = /(?<!\{)\{([\w-]+)[\w.-]*\}(?!\})/g;

/** Returns the variables that a question shows. */
function namesIn({ name, message, options }: Checkpoint): ReadonlySet<string> {
  const texts = [name, message, ...options.flatMap(({ label, description = '' }) => [label, description])];
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(marker), ([, found = '']) => found)));
}

/** Returns whether an answer to a question can keep it from being asked in the next visit of its activity. */
function mayBeLeftOut(activity: Activity, asked: Checkpoint, variablesOf: VariablesOf): boolean {
  const at = (activity.checkpoints ?? []).indexOf(asked);
  const steps = [...walkActivitySteps(activity)].filter(({ step }) => step.checkpoint === asked.id);
  const places = [`/checkpoints/${at}`, ...steps.map(({ pointer }) => pointer)];
  const decided = new Set(namesSetByOptions(asked));
  return [...conditionsOf(activity)]
    .filter(({ pointer }) =>
      places.some((place) => [`${place}/condition`, `${place}/when`].includes(pointer)),
    )
    .some(({ source }) => [...variablesOf(source)].some((name) => decided.has(name)));
}

/**
 * Returns whether a session can go from an activity that the answer led to, through the activity that sets the
 * variable, and back again without being asked the question.
 */
function redoes(
  workflow: ActivityWorkflow,
  on: {
    readonly asking: string;
    readonly asked: Checkpoint;
    readonly isAsked: boolean;
    readonly setter: string;
  },
): boolean {
  const { asking, asked, isAsked, setter } = on;
  if (setter === asking) return false;
  const others = { activities: workflow.activities.filter(({ id }) => id !== asking) };
  const around = isAsked ? others : workflow;
  // The person does not approve activities that the session can also reach before the question.
  const initial = initialActivityOf(workflow);
  const before = reachedFrom(others, initial === undefined || initial === asking ? [] : [initial]);
  const own = workflow.activities.find(({ id }) => id === asking)?.definition;
  const named = asked.options.flatMap(({ effect }) => effect?.transitionTo ?? []);
  const opened = [...named, ...(own === undefined ? [] : next(own))].filter(
    (id) => id !== asking && !before.has(id),
  );
  const after = workflow.activities.find(({ id }) => id === setter)?.definition;
  if (after === undefined) return false;
  const back = reachedFrom(
    around,
    next(after).filter((id) => !isAsked || id !== asking),
  );
  return opened.some((id) => reachedFrom(around, [id]).has(setter) && back.has(id));
}

/** Returns the activities that an activity can lead to. */
function next(activity: Activity): readonly string[] {
  return Array.from(targetsOf(activity))
    .filter(({ pointer }) => !pointer.includes('/skipActivities/'))
    .map(({ id }) => id);
}

/** Warns about answers that set `target.env` if another one sets `target`: conditions then find the old `target.env`. */
export function* checkPathsInAnswers({ activities }: ActivityWorkflow): Generator<FileFinding> {
  const all = new Set(
    activities.flatMap(({ definition }) => (definition.checkpoints ?? []).flatMap(namesSetByOptions)),
  );
  const reported = new Set<string>();
  for (const part of activities) {
    for (const [at, { id, options }] of (part.definition.checkpoints ?? []).entries()) {
      for (const [nth, { effect }] of options.entries()) {
        for (const path of Object.keys(effect?.setVariable ?? {})) {
          const root = path.split('.', 1)[0] ?? '';
          if (root === path || !all.has(root) || reported.has(path)) continue;
          reported.add(path);
          yield {
            ...activityLocation(part, `/checkpoints/${at}/options/${nth}/effect/setVariable`),
            severity: 'warning',
            code: 'shadowed-name',
            ...hidingPath(path, root, id),
          };
        }
      }
    }
  }
}
