import type { Json, JsonObject } from '../json.ts';
import type { ResourcePart, SkillPart } from './activity-workflow.ts';

/** A parsed reference of the form `[workflow/]skill::element`. */
export interface OperationReference {
  readonly workflow?: string;
  readonly skill: string;
  readonly element: string;
}

/** Parses an operation reference. Returns `undefined` if it is malformed. */
export function parseOperationReference(reference: string): OperationReference | undefined {
  const [, workflow, skill, element] = /^(?:([^/:\s]+)\/)?([^/:\s]+)::([^:\s]+)$/.exec(reference) ?? [];
  if (skill === undefined || element === undefined) return undefined;
  return { skill, element, ...(workflow !== undefined && { workflow }) };
}

/** A parsed reference of the form `[workflow/]skill`. */
export interface SkillReference {
  readonly workflow?: string;
  readonly skill: string;
}

/** Parses a skill reference. */
export function parseSkillReference(reference: string): SkillReference {
  const slash = reference.indexOf('/');
  const skill = reference.slice(slash + 1);
  return slash < 0 ? { skill } : { workflow: reference.slice(0, slash), skill };
}

/** A parsed resource reference: `[workflow/]resource` or `[workflow/]resources/file`. */
export interface ResourceReference {
  readonly workflow?: string;
  /** Number, id, name or file. */
  readonly resource: string;
}

/** Parses a resource reference. Returns `undefined` if it is malformed, such as a path. */
export function parseResourceReference(reference: string): ResourceReference | undefined {
  const [, workflow, resource] = /^(?:([^/]+)\/)??(?:resources\/)?([^/]+)$/.exec(reference) ?? [];
  if (resource === undefined) return undefined;
  return { resource, ...(workflow !== undefined && { workflow }) };
}

/**
 * Tells whether a resource may also be looked up in `meta`. Not if a workflow is named, and not by number, because
 * numbers mean different resources there.
 */
export function isSharedResource({ workflow, resource }: ResourceReference): boolean {
  return workflow === undefined && !/^\d+$/.test(resource);
}

/** An element of a skill. */
export interface SkillElement {
  readonly type: 'error' | 'operation' | 'rule';
  readonly body: Json;
}

/** Returns the skill with this id. */
export function findSkill(skills: readonly SkillPart[], id: string): SkillPart | undefined {
  return skills.find((skill) => skill.id === id);
}

/**
 * Returns the element of a skill with this name: an operation, or else a rule, or else an error. Inherited keys are
 * ignored.
 */
export function findElement({ definition }: SkillPart, name: string): SkillElement | undefined {
  const { operations, rules, errors } = definition;
  return (
    ownElement('operation', operations as JsonObject | undefined, name) ??
    ownElement('rule', rules, name) ??
    ownElement('error', errors, name)
  );
}

function ownElement(
  type: SkillElement['type'],
  elements: JsonObject | undefined,
  name: string,
): SkillElement | undefined {
  if (elements === undefined || !Object.hasOwn(elements, name)) return undefined;
  return { type, body: elements[name] ?? null };
}

/**
 * Returns the resource that a reference without a workflow means: by number, id, name or file. Numbers are compared
 * numerically.
 */
export function findResource<Part extends Pick<ResourcePart, 'id' | 'index' | 'name'>>(
  resources: readonly Part[],
  reference: string,
): Part | undefined {
  const wanted = reference.slice(reference.lastIndexOf('/') + 1).replace(/\.(?:md|yaml|yml|json|toon)$/, '');
  const number = /^\d+$/.test(wanted) ? Number(wanted) : undefined;
  return (
    resources.find(({ index }) => number !== undefined && Number(index) === number) ??
    resources.find(({ id, name, index }) => [id, name, `${index}-${name}`].includes(wanted))
  );
}

export interface SharedParts {
  readonly skills: readonly SkillPart[];
  readonly resources: readonly ResourcePart[];
  /** Skills and resources that exist but can't be used, by id and by the number and name of their files. */
  readonly broken: readonly Pick<ResourcePart, 'id' | 'index' | 'name'>[];
}

/** The target of a reference. `workflow` is absent for this workflow; `part` is absent if it can't be used. */
interface ReferenceTarget {
  readonly workflow?: string;
  readonly part?: Pick<ResourcePart, 'file' | 'text'>;
}

/** What a reference names. */
export type ReferenceKind = 'operation' | 'resource' | 'skill';

/** Parses a reference of any kind. Returns `undefined` if it is malformed. */
export function parseReference(
  kind: ReferenceKind,
  name: string,
): SkillReference | OperationReference | ResourceReference | undefined {
  if (kind === 'skill') return parseSkillReference(name);
  return kind === 'operation' ? parseOperationReference(name) : parseResourceReference(name);
}

/** Resolves references. */
export interface ReferenceLookup {
  /**
   * Returns the target of a reference, or `undefined` if it doesn't exist. `lender` is the workflow from which the
   * activity with the reference is borrowed.
   */
  readonly find: (kind: ReferenceKind, name: string, lender?: string) => Promise<ReferenceTarget | undefined>;
  /** Returns the skills and resources of another workflow, or `undefined` if there is no such workflow. */
  readonly partsOf: (workflow: string) => Promise<SharedParts | undefined>;
}

/**
 * Creates a lookup for references. A name without a workflow is looked up in the workflow from which the activity is
 * borrowed, then in this workflow, then in `meta`. A name with a workflow is looked up there, then in `meta`. A
 * resource with a workflow is looked up only there, and a resource number is never looked up in `meta`.
 */
export function createReferenceLookup(
  own: SharedParts,
  partsOf: ReferenceLookup['partsOf'],
): ReferenceLookup {
  return {
    partsOf,
    async find(kind, name, lender) {
      const reference = parseReference(kind, name);
      if (reference === undefined) return undefined;
      const { workflow } = reference;
      const nearby =
        workflow === undefined ? [...(lender === undefined ? [] : [lender]), undefined] : [workflow];
      const isShared = !('resource' in reference) || isSharedResource(reference);
      for (const place of isShared ? [...nearby, 'meta'] : nearby) {
        const parts = place === undefined ? own : await partsOf(place);
        const found = parts && targetIn(parts, reference);
        if (found !== undefined)
          return { ...found, ...(place !== undefined && parts !== own && { workflow: place }) };
      }
      return undefined;
    },
  };
}

/** Returns the part that has the target, `{}` if it can't be used, or `undefined` if it doesn't exist. */
function targetIn(
  { skills, resources, broken }: SharedParts,
  reference: SkillReference | OperationReference | ResourceReference,
): Pick<ReferenceTarget, 'part'> | undefined {
  if ('resource' in reference) {
    if (findResource(broken, reference.resource) !== undefined) return {};
    const part = findResource(resources, reference.resource);
    return part && { part };
  }
  const { skill } = reference;
  // The id of a broken skill may be what is wrong with it, so the name of its file counts too.
  if (broken.some(({ id, index, name }) => [id, index, name, `${index}-${name}`].includes(skill))) return {};
  const part = findSkill(skills, skill);
  const hasElement = !('element' in reference) || (part && findElement(part, reference.element));
  return part && hasElement ? { part } : undefined;
}
