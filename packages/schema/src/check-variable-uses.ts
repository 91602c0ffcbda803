import type { Activity } from './activity.ts';
import type { ActivityWorkflow } from './activity-workflow.ts';
import { referencesOf } from './check-part-references.ts';
import type { ReferenceScope } from './check-part-references.ts';
import { usesInTexts, usesInWorkflow } from './check-variables.ts';
import type { Use } from './check-variables.ts';
import type { FileFinding } from './file-finding.ts';
import type { Shelf } from './library.ts';
import type { DeclaredVariable, ShownVariable, VariableUses } from './lint-variables.ts';
import { unsetVariables, unusedVariables } from './lint-variables.ts';
import { namesSetByEffects, namesSetByModes } from './names-set.ts';
import type { Words } from './variable-words.ts';
import { wordsOf } from './variable-words.ts';

/**
 * Variables of an activity workflow that nothing looks at, or that a text shows and nothing sets. Skills and resources of
 * the workflows that it refers to may do either.
 */
export async function checkVariableUses({
  workflow,
  file,
  library,
}: ReferenceScope): Promise<readonly FileFinding[]> {
  const { variables = [], modes = [] } = workflow.definition;
  const switches = new Set(modes.map(({ activationVariable }) => activationVariable));
  const declared = variables.map(({ name, defaultValue, required = false }, at): DeclaredVariable => ({
    name,
    isGiven: required || defaultValue !== undefined || switches.has(name),
    pointer: `/variables/${at}/name`,
  }));
  if (declared.length === 0) return [];
  const uses = { ...usesOf(workflow), words: await wordsHandedOut({ workflow, file, library }) };
  const unset = unsetVariables(declared, shownIn(workflow, file), uses);
  return [
    ...unusedVariables(declared, uses).map((finding) => ({ ...finding, file })),
    ...Array.from(unset, ({ finding, shown }) => ({ ...finding, file: shown.file })),
  ];
}

/** What the skills and resources say that the workflow has or refers to; those of `meta` are everybody's. */
async function wordsHandedOut({ workflow, file, library }: ReferenceScope): Promise<readonly Words[]> {
  const named = Array.from(referencesOf(workflow, file), ({ name }) => name.split('/'));
  const ids = new Set([
    workflow.id,
    'meta',
    ...workflow.activities.flatMap(({ lender }) => lender ?? []),
    ...named.flatMap(([other = '', ...rest]) => (rest.length > 0 ? [other] : [])),
  ]);
  const shelves = await Promise.all(Array.from(ids, library.shelfOf));
  return shelves.flatMap((shelf) => (shelf === undefined ? [] : wordsOn(shelf)));
}

const known = new WeakMap<Shelf, Words>();

/** The words of a shelf, once for all the workflows that refer to it. */
function wordsOn(shelf: Shelf): Words {
  const { skills, resources } = shelf;
  const words =
    known.get(shelf) ?? wordsOf([...skills.map(({ text }) => text), ...resources.map(({ body }) => body)]);
  known.set(shelf, words);
  return words;
}

function usesOf({ definition, activities }: ActivityWorkflow): Omit<VariableUses, 'words'> {
  const { modes, rules, artifactLocations } = definition;
  const all = activities.map((part) => part.definition);
  return {
    anywhere: [modes, rules, artifactLocations, ...all.map(withoutTargets)],
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
