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

/** Answers whether a reference leads to something. */
export interface Library {
  readonly hasSkill: (reference: string, lender?: string) => Promise<boolean>;
  readonly hasOperation: (reference: string, lender?: string) => Promise<boolean>;
  readonly hasResource: (reference: string, lender?: string) => Promise<boolean>;
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
  const some = async (
    workflows: readonly (string | undefined)[],
    holds: (shelf: Shelf) => boolean,
  ): Promise<boolean> => {
    for (const workflow of workflows) {
      const shelf = workflow === undefined ? own : await shelfOf(workflow);
      if (shelf !== undefined && holds(shelf)) return true;
    }
    return false;
  };
  const near = (lender?: string): readonly (string | undefined)[] =>
    lender === undefined ? [undefined, 'meta'] : [lender, undefined, 'meta'];
  return {
    shelfOf,
    hasSkill: (reference, lender) => {
      const { workflow, skill } = parseSkillReference(reference);
      return some(
        workflow === undefined ? near(lender) : [workflow, 'meta'],
        (shelf) => isBroken(shelf, skill) || findSkill(shelf.skills, skill) !== undefined,
      );
    },
    hasOperation: async (reference, lender) => {
      const parsed = parseOperationReference(reference);
      if (parsed === undefined) return false;
      const { workflow, skill, element } = parsed;
      return some(workflow === undefined ? near(lender) : [workflow, 'meta'], (shelf) => {
        const found = findSkill(shelf.skills, skill);
        return isBroken(shelf, skill) || (found !== undefined && findElement(found, element) !== undefined);
      });
    },
    hasResource: async (reference, lender) => {
      const parsed = parseResourceReference(reference);
      if (parsed === undefined) return false;
      const { workflow, resource } = parsed;
      const places = workflow === undefined ? near(lender) : [workflow];
      return some(
        isSharedResource(parsed)
          ? places
          : places.filter((place) => place !== 'meta' || [lender, workflow].includes(place)),
        ({ resources, broken }) =>
          (findResource(broken, resource) ?? findResource(resources, resource)) !== undefined,
      );
    },
  };
}

/** Whether a skill is there and could not be used; its id may be what is broken, so that its file stands for it. */
function isBroken({ broken }: Shelf, skill: string): boolean {
  return broken.some(({ id, index, name }) => [id, index, name, `${index}-${name}`].includes(skill));
}
