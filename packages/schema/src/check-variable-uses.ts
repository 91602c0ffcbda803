import type { Activity } from './activity.ts';
import type { ActivityWorkflow } from './activity-workflow.ts';
import { usesInTexts, usesInWorkflow } from './check-variables.ts';
import type { Use } from './check-variables.ts';
import type { FileFinding } from './file-finding.ts';
import type { DeclaredVariable, ShownVariable, VariableUses } from './lint-variables.ts';
import { unsetVariables, unusedVariables } from './lint-variables.ts';
import { namesSetByEffects, namesSetByModes } from './names-set.ts';

/** What is looked at: a workflow, and the path of its workflow file. */
interface Scope {
  readonly workflow: ActivityWorkflow;
  readonly file: string;
}

/** Variables of an activity workflow that nothing looks at, or that a text shows and nothing sets. */
export function* checkVariableUses({ workflow, file }: Scope): Generator<FileFinding> {
  const { variables = [], modes = [] } = workflow.definition;
  const switches = new Set(modes.map(({ activationVariable }) => activationVariable));
  const declared = variables.map(({ name, defaultValue, required = false }, at): DeclaredVariable => ({
    name,
    isGiven: required || defaultValue !== undefined || switches.has(name),
    pointer: `/variables/${at}/name`,
  }));
  const uses = usesOf(workflow);
  for (const finding of unusedVariables(declared, uses)) yield { ...finding, file };
  for (const { finding, shown } of unsetVariables(declared, shownIn(workflow, file), uses)) {
    yield { ...finding, file: shown.file };
  }
}

function usesOf({ definition, activities, skills, resources }: ActivityWorkflow): VariableUses {
  const { variables: _variables, activities: _activities, ...rest } = definition;
  const all = activities.map((part) => part.definition);
  const texts = [...skills.map(({ text }) => text), ...resources.map(({ body }) => body)];
  return {
    anywhere: [rest, ...all.map(withoutTargets), ...texts],
    set: new Set([
      ...namesSetByModes(definition),
      ...all.flatMap(namesSetByEffects),
      ...all.flatMap(({ loops = [] }) => loops.flatMap(({ variable }) => variable ?? [])),
    ]),
  };
}

/** What an action sets it does not look at. */
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
  yield* placed(usesInWorkflow(definition), { file, pointer: '', place: 'a path of artifacts' });
  for (const { definition: activity, id, ...part } of activities) {
    yield* placed(usesInTexts(activity), { ...part, place: `a text of activity '${id}'` });
  }
}

function* placed(
  uses: Iterable<Use>,
  { file, pointer, place }: Omit<ShownInFile, 'root'>,
): Generator<ShownInFile> {
  for (const use of uses)
    yield { root: use.name.split('.', 1)[0] ?? '', file, pointer: pointer + use.pointer, place };
}
