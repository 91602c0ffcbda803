import type { FileFinding } from '../findings/collect-findings.ts';
import { inFile } from '../findings/collect-findings.ts';
import type { Finding } from '../findings/finding.ts';
import { createSuggester } from '../findings/finding.ts';
import { escapePointer } from '../json.ts';
import { messages } from '../messages/workflow.ts';
import type {
  ActivityPart,
  ActivityWorkflow,
  ActivityWorkflowDefinition,
  Activity,
  Checkpoint,
} from '../workflow/activity-workflow.ts';
import { initialActivityOf } from '../workflow/activity-workflow.ts';
import { parseReference } from '../workflow/references.ts';
import { conditionsOf, conditionsOfOutcomes, walkActions, walkActivitySteps } from '../workflow/walk.ts';
import type { ReferenceScope } from './check-activities.ts';
import { activitiesAfter, referencesOf, loopItems, reachedFrom } from './check-activities.ts';
import type { Use, VariablesOf, VariableUses } from './variable-uses.ts';
import {
  declarationsIn,
  namesSetByEffects,
  namesSetByModes,
  rootOf,
  usesInConditions,
  unsetVariables,
  unusedVariables,
  namesSetByOptions,
} from './variable-uses.ts';

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
  const suggest = createSuggester();
  function* undeclared(uses: Iterable<Use>, items?: ReadonlySet<string>): Generator<Finding> {
    const reported = new Set<string>();
    for (const { name, pointer } of uses) {
      const root = rootOf(name);
      if ([name, root].some((one) => declared.has(one) || items?.has(one)) || reported.has(root)) continue;
      reported.add(root);
      yield { ...messages.undeclaredVariable(root, suggest(root, declared)), pointer };
    }
  }
  const uses = [
    ...usesInWorkflow(workflow.definition),
    ...usesInSessionTexts(workflow.definition, variablesOf),
  ];
  yield* inFile({ file, pointer: '' }, undeclared(uses));
  const itemsAt = loopItems(workflow);
  for (const part of workflow.activities)
    yield* inFile(part, undeclared(usesInActivity(part, variablesOf), itemsAt(part.id)));
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
  yield* usesInConditions(conditionsOfOutcomes(definition), variablesOf);
}

function* usesInActivity({ definition }: ActivityPart, variablesOf: VariablesOf): Generator<Use> {
  yield* usesInConditions(conditionsOf(definition), variablesOf);
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
  if (variables.length === 0) return [];
  const declared = declarationsIn(variables);
  const uses = { ...usesOf(workflow), texts: await availableTexts({ workflow, file, lookup }) };
  const unset = unsetVariables(declared, uses);
  const inWorkflow = [
    ...unusedVariables(declared, uses),
    ...unset(usesInWorkflow(workflow.definition), () => messages.pathOfArtifacts),
  ];
  return [
    ...inFile({ file, pointer: '' }, inWorkflow),
    ...workflow.activities.flatMap((part) => [
      ...inFile(
        part,
        unset(usesInTexts(part.definition), () => messages.textOfActivity(part.id)),
      ),
    ]),
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
    ...Array.from(referencesOf(workflow, file), ({ kind, name }) => parseReference(kind, name)?.workflow),
  ]);
  const known = [...ids].filter((id) => id !== undefined);
  const available = await Promise.all(known.map(lookup.partsOf));
  return available.flatMap((parts) => [
    ...(parts?.skills ?? []).map(({ text }) => text),
    ...(parts?.resources ?? []).map(({ body }) => body),
  ]);
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

/** Warns about names of loop items that hide a variable. */
export function* checkLoopNames(workflow: ActivityWorkflow): Generator<FileFinding> {
  const held = usedElsewhere(workflow);
  for (const part of workflow.activities) {
    for (const [at, { id, variable, over }] of (part.definition.loops ?? []).entries()) {
      if (variable === undefined || (variable !== over && !held.has(variable))) continue;
      const hidden = variable === over ? messages.hiddenList : messages.hiddenVariable(variable);
      const problem = messages.hidingLoopName('item', variable, id, hidden);
      yield* inFile(part, [{ ...problem, pointer: `/loops/${at}/variable` }]);
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
      ...Array.from(usesInTexts(part.definition), ({ name }) => rootOf(name)).filter(
        (root) => !itemsAt(part.id).has(root),
      ),
    ]),
  ]);
  const used = declarationsIn(definition.variables).filter(
    ({ name, isGiven }) => isGiven || others.has(name),
  );
  return new Set(used.map(({ name }) => name));
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
    if (first !== undefined)
      yield { ...messages.changeableValue(name, first), file, pointer: `/variables/${at}/set_by` };
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
  const opened = [...named, ...(own === undefined ? [] : activitiesAfter(own))].filter(
    (id) => id !== asking && !before.has(id),
  );
  const after = workflow.activities.find(({ id }) => id === setter)?.definition;
  if (after === undefined) return false;
  const back = reachedFrom(
    around,
    activitiesAfter(after).filter((id) => !isAsked || id !== asking),
  );
  return opened.some((id) => reachedFrom(around, [id]).has(setter) && back.has(id));
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
          const root = rootOf(path);
          if (root === path || !all.has(root) || reported.has(path)) continue;
          reported.add(path);
          const pointer = `/checkpoints/${at}/options/${nth}/effect/setVariable`;
          yield* inFile(part, [{ ...messages.hidingPath(path, root, id), pointer }]);
        }
      }
    }
  }
}
