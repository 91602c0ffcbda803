import type { Activity } from './activity.ts';
import type { ActivityWorkflow } from './activity-workflow.ts';
import { referencesOf } from './check-part-references.ts';
import type { Reference, ReferenceScope } from './check-part-references.ts';
import { usesInTexts, usesInWorkflow } from './check-variables.ts';
import type { Use } from './check-variables.ts';
import type { FileFinding } from './file-finding.ts';
import type { Shelf } from './library.ts';
import type { DeclaredVariable, ShownVariable, VariableUses } from './lint-variables.ts';
import { unsetVariables, unusedVariables } from './lint-variables.ts';
import { namesSetByEffects, namesSetByModes } from './names-set.ts';
import { parseOperationReference, parseResourceReference, parseSkillReference } from './references.ts';

/**
 * Variables of an activity workflow that nothing looks at, or that a text shows and nothing sets. Skills and resources of
 * the workflows that it refers to may do either.
 */
export async function checkVariableUses({
  workflow,
  file,
  library,
}: ReferenceScope): Promise<readonly FileFinding[]> {
  const { variables = [] } = workflow.definition;
  const declared = variables.map(({ name, defaultValue, required = false }, at): DeclaredVariable => ({
    name,
    isGiven: required || defaultValue !== undefined,
    pointer: `/variables/${at}/name`,
  }));
  if (declared.length === 0) return [];
  const uses = { ...usesOf(workflow), texts: await textsHandedOut({ workflow, file, library }) };
  const unset = unsetVariables(declared, shownIn(workflow, file), uses);
  return [
    ...unusedVariables(declared, uses).map((finding) => ({ ...finding, file })),
    ...Array.from(unset, ({ finding, shown }) => ({ ...finding, file: shown.file })),
  ];
}

/** What the skills and resources say that the workflow has or refers to; those of `meta` are everybody's. */
async function textsHandedOut({ workflow, file, library }: ReferenceScope): Promise<readonly string[]> {
  const ids = new Set([
    workflow.id,
    'meta',
    ...workflow.activities.flatMap(({ lender }) => lender ?? []),
    ...Array.from(referencesOf(workflow, file), lenderIn),
  ]);
  const others = [...ids].filter((id) => id !== undefined);
  const shelves = await Promise.all(others.map(library.shelfOf));
  return shelves.flatMap((shelf) => (shelf === undefined ? [] : textsOn(shelf)));
}

/** The workflow that a reference names. */
function lenderIn({ kind, name }: Reference): string | undefined {
  if (kind === 'skill') return parseSkillReference(name).workflow;
  return (kind === 'operation' ? parseOperationReference(name) : parseResourceReference(name))?.workflow;
}

function textsOn({ skills, resources }: Shelf): readonly string[] {
  return [...skills.map(({ text }) => text), ...resources.map(({ body }) => body)];
}

function usesOf({ definition, activities }: ActivityWorkflow): Omit<VariableUses, 'texts'> {
  const { modes, rules, artifactLocations } = definition;
  const all = activities.map((part) => part.definition);
  return {
    anywhere: [modes, rules, artifactLocations, ...all.map(withoutTargets)],
    set: new Set([...namesSetByModes(definition), ...all.flatMap(namesSetByEffects)]),
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
  yield* placed(usesInWorkflow(definition), { file, pointer: '', place: () => 'a path of artifacts' });
  for (const { definition: activity, id, ...part } of activities) {
    yield* placed(usesInTexts(activity), { ...part, place: () => `a text of activity '${id}'` });
  }
}

function* placed(
  uses: Iterable<Use>,
  { file, pointer, place }: Omit<ShownInFile, 'root'>,
): Generator<ShownInFile> {
  for (const use of uses)
    yield { root: use.name.split('.', 1)[0] ?? '', file, pointer: pointer + use.pointer, place };
}
