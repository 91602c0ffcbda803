import type { ResourcePart, SkillPart } from './activity-workflow.ts';
import {
  findElement,
  findResource,
  findSkill,
  isSharedResource,
  parseOperationReference,
  parseResourceReference,
  parseSkillReference,
} from './references.ts';

/** The skills and resources of one workflow. */
export interface Shelf {
  readonly skills: readonly SkillPart[];
  readonly resources: readonly ResourcePart[];
  /** Skills and resources that are there and could not be used, by id, and the number and the name of their files. */
  readonly broken: readonly Pick<ResourcePart, 'id' | 'index' | 'name'>[];
}

/** Where a reference leads: the workflow, absent for the own one, and the part, absent for one that could not be used. */
export interface Shelved {
  readonly workflow?: string;
  readonly part?: Pick<ResourcePart, 'file' | 'text'>;
}

/** Answers where a reference leads; `undefined` where it leads nowhere. */
export interface Library {
  readonly findSkill: (reference: string, lender?: string) => Promise<Shelved | undefined>;
  readonly findOperation: (reference: string, lender?: string) => Promise<Shelved | undefined>;
  readonly findResource: (reference: string, lender?: string) => Promise<Shelved | undefined>;
  /** The shelf of another workflow; none where there is no such workflow. */
  readonly shelfOf: (workflow: string) => Promise<Shelf | undefined>;
}

/**
 * References over the shelves of workflows. A name without its workflow is looked for with the lender of the activity
 * that says it, then in the workflow itself, then in `meta`; one with its workflow there, then in `meta`. A resource of
 * a named workflow is looked for there alone, and a number is not looked for in `meta`.
 */
export function createLibrary(
  own: Shelf,
  shelfOf: (workflow: string) => Promise<Shelf | undefined>,
): Library {
  const first = async (
    workflows: readonly (string | undefined)[],
    find: (shelf: Shelf) => Omit<Shelved, 'workflow'> | undefined,
  ): Promise<Shelved | undefined> => {
    for (const workflow of workflows) {
      const shelf = workflow === undefined ? own : await shelfOf(workflow);
      const found = shelf && find(shelf);
      if (found !== undefined)
        return { ...found, ...(workflow !== undefined && shelf !== own && { workflow }) };
    }
    return undefined;
  };
  const near = (lender?: string): readonly (string | undefined)[] =>
    lender === undefined ? [undefined, 'meta'] : [lender, undefined, 'meta'];
  return {
    shelfOf,
    findSkill: (reference, lender) => {
      const { workflow, skill } = parseSkillReference(reference);
      return first(workflow === undefined ? near(lender) : [workflow, 'meta'], (shelf) =>
        isBroken(shelf, skill) ? {} : held(findSkill(shelf.skills, skill)),
      );
    },
    findOperation: async (reference, lender) => {
      const parsed = parseOperationReference(reference);
      if (parsed === undefined) return undefined;
      const { workflow, skill, element } = parsed;
      return first(workflow === undefined ? near(lender) : [workflow, 'meta'], (shelf) => {
        if (isBroken(shelf, skill)) return {};
        const found = findSkill(shelf.skills, skill);
        return found && findElement(found, element) && held(found);
      });
    },
    findResource: async (reference, lender) => {
      const parsed = parseResourceReference(reference);
      if (parsed === undefined) return undefined;
      const { workflow, resource } = parsed;
      const places = workflow === undefined ? near(lender) : [workflow];
      return first(
        isSharedResource(parsed)
          ? places
          : places.filter((place) => place !== 'meta' || [lender, workflow].includes(place)),
        ({ resources, broken }) =>
          findResource(broken, resource) === undefined ? held(findResource(resources, resource)) : {},
      );
    },
  };
}

function held(part: Shelved['part']): Omit<Shelved, 'workflow'> | undefined {
  return part && { part };
}

/** Whether a skill is there and could not be used; its id may be what is broken, so that its file stands for it. */
function isBroken({ broken }: Shelf, skill: string): boolean {
  return broken.some(({ id, index, name }) => [id, index, name, `${index}-${name}`].includes(skill));
}
