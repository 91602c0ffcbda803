import { unknownReference } from '../messages/workflow.ts';
import type { FileFinding } from '../findings/collect-findings.ts';
import { escapePointer } from '../json.ts';
import type { ActivityPart, ActivityWorkflow, SkillPart } from '../workflow/activity-workflow.ts';
import type { SkillNames } from '../workflow/activity.ts';
import type { ReferenceLookup, ReferenceTarget } from '../workflow/references.ts';
import { walkActivitySteps } from '../workflow/walk.ts';

/** A reference to a skill, an operation or a resource, and its location. */
export interface Reference {
  readonly kind: 'operation' | 'resource' | 'skill';
  readonly name: string;
  readonly file: string;
  readonly pointer: string;
  readonly lender?: string;
}

export interface ReferenceScope {
  readonly workflow: ActivityWorkflow;
  readonly file: string;
  readonly lookup: ReferenceLookup;
}

/**
 * Warns about references to skills, operations and resources that don't exist; the workflow is served without them.
 * Adds the parts found in other workflows to `borrowed`, except those of `meta`, which every workflow can use and no
 * source can replace.
 */
export async function checkPartReferences(
  { workflow, file, lookup }: ReferenceScope,
  borrowed: Map<string, string>,
): Promise<readonly FileFinding[]> {
  const findings: FileFinding[] = [];
  for (const reference of referencesOf(workflow, file)) {
    const found = await lookUp(reference, lookup);
    if (found === undefined)
      findings.push(unresolved(reference, await workflowWith(reference, { workflow, lookup })));
    else if (found.part !== undefined && found.workflow !== undefined && found.workflow !== 'meta')
      borrowed.set(`${found.workflow}/${found.part.file}`, found.part.text);
  }
  return findings;
}

function lookUp(
  { kind, name, lender }: Reference,
  lookup: ReferenceLookup,
): Promise<ReferenceTarget | undefined> {
  if (kind === 'skill') return lookup.findSkill(name, lender);
  return kind === 'operation' ? lookup.findOperation(name, lender) : lookup.findResource(name, lender);
}

/** Returns a workflow from which activities are borrowed and which has the part that was not found here. */
async function workflowWith(
  reference: Reference,
  { workflow, lookup }: Pick<ReferenceScope, 'lookup' | 'workflow'>,
): Promise<string | undefined> {
  if (reference.name.includes('/')) return undefined;
  for (const lender of new Set(workflow.activities.flatMap((part) => part.lender ?? []))) {
    if ((await lookUp({ ...reference, name: `${lender}/${reference.name}` }, lookup)) !== undefined)
      return lender;
  }
  return undefined;
}

function unresolved({ kind, name, file, pointer }: Reference, lender: string | undefined): FileFinding {
  return {
    severity: 'warning',
    code: 'unknown-reference',
    file,
    pointer,
    ...unknownReference(kind, name, lender),
  };
}

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
