import type { SkillNames } from './activity.ts';
import type { ActivityPart, ActivityWorkflow, SkillPart } from './activity-workflow.ts';
import type { FileFinding } from './file-finding.ts';
import { escapePointer } from './json-pointer.ts';
import type { Library, Shelved } from './library.ts';
import { walkActivitySteps } from './walk-activity.ts';

/** A name of something in a skill or resource file, and where it is said. */
export interface Reference {
  readonly kind: 'operation' | 'resource' | 'skill';
  readonly name: string;
  readonly file: string;
  readonly pointer: string;
  readonly lender?: string;
}

/** What the check of references looks at. */
export interface ReferenceScope {
  readonly workflow: ActivityWorkflow;
  /** Path of the workflow file. */
  readonly file: string;
  readonly library: Library;
}

/**
 * Skills, operations and resources that are named and are nowhere: warnings, the workflow is served without them. Those of
 * other workflows are put into `borrowed`; `meta` is everybody's, and no source replaces it.
 */
export async function checkPartReferences(
  { workflow, file, library }: ReferenceScope,
  borrowed: Map<string, string>,
): Promise<readonly FileFinding[]> {
  const findings: FileFinding[] = [];
  for (const reference of referencesOf(workflow, file)) {
    const found = await lookUp(reference, library);
    if (found === undefined)
      findings.push(unresolved(reference, await lenderWith(reference, { workflow, library })));
    else if (found.part !== undefined && found.workflow !== undefined && found.workflow !== 'meta')
      borrowed.set(`${found.workflow}/${found.part.file}`, found.part.text);
  }
  return findings;
}

function lookUp({ kind, name, lender }: Reference, library: Library): Promise<Shelved | undefined> {
  if (kind === 'skill') return library.findSkill(name, lender);
  return kind === 'operation' ? library.findOperation(name, lender) : library.findResource(name, lender);
}

/** The workflow that activities are borrowed from and that has what a name without a workflow looks for. */
async function lenderWith(
  reference: Reference,
  { workflow, library }: Pick<ReferenceScope, 'library' | 'workflow'>,
): Promise<string | undefined> {
  if (reference.name.includes('/')) return undefined;
  for (const lender of new Set(workflow.activities.flatMap((part) => part.lender ?? []))) {
    if ((await lookUp({ ...reference, name: `${lender}/${reference.name}` }, library)) !== undefined)
      return lender;
  }
  return undefined;
}

function unresolved({ kind, name, file, pointer }: Reference, lender: string | undefined): FileFinding {
  const folder = kind === 'resource' ? 'resources' : 'skills';
  return {
    severity: 'warning',
    code: 'unknown-reference',
    file,
    pointer,
    message: `No ${kind} '${name}' was found`,
    suggestion:
      lender === undefined
        ? `Correct the name, or add it under '${folder}', here or in 'meta'`
        : `Write '${lender}/${name}': that workflow has it`,
  };
}

/** Every reference to a part that a workflow makes. */
export function* referencesOf(workflow: ActivityWorkflow, file: string): Generator<Reference> {
  const { skills, operations, operationsFor = {}, modes = [] } = workflow.definition;
  yield* ofSkills(skills, { file, pointer: '/skills' });
  yield* all('operation', operations, { file, pointer: '/operations' });
  for (const role of ['orchestrator', 'worker'] as const) {
    yield* all('operation', operationsFor[role], { file, pointer: `/operationsFor/${role}` });
  }
  for (const [at, { resource }] of modes.entries()) {
    if (resource !== undefined)
      yield { kind: 'resource', name: resource, file, pointer: `/modes/${at}/resource` };
  }
  for (const part of workflow.activities) yield* ofActivity(part);
  for (const part of workflow.skills) yield* ofSkill(part);
}

type Where = Pick<Reference, 'file' | 'lender' | 'pointer'>;

function* ofActivity({ definition, file, pointer, lender }: ActivityPart): Generator<Reference> {
  const where = (place: string): Where => ({
    file,
    pointer: pointer + place,
    ...(lender !== undefined && { lender }),
  });
  yield* ofSkills(definition.skills, where('/skills'));
  yield* all('operation', definition.operations, where('/operations'));
  for (const { step, pointer: place } of walkActivitySteps(definition)) {
    if (step.skill !== undefined) yield { kind: 'skill', name: step.skill, ...where(`${place}/skill`) };
  }
}

function* ofSkills({ primary, supporting }: SkillNames = {}, where: Where): Generator<Reference> {
  const { pointer } = where;
  if (primary !== undefined) yield { kind: 'skill', name: primary, ...where, pointer: `${pointer}/primary` };
  yield* all('skill', supporting, { ...where, pointer: `${pointer}/supporting` });
}

function* ofSkill({ definition, file }: SkillPart): Generator<Reference> {
  yield* all('resource', definition.resources, { file, pointer: '/resources' });
  for (const [name, { resources }] of Object.entries(definition.operations ?? {})) {
    yield* all('resource', resources, { file, pointer: `/operations/${escapePointer(name)}/resources` });
  }
}

function* all(kind: Reference['kind'], names: readonly string[] = [], where: Where): Generator<Reference> {
  for (const [at, name] of names.entries()) {
    yield { kind, name, ...where, pointer: `${where.pointer}/${at}` };
  }
}
