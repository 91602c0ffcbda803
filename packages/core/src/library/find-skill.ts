import type { SkillPart, SkillReference } from '@workflowlookup/schema';
import { didYouMean, findSkill as findIn, parseSkillReference } from '@workflowlookup/schema';
import { describeProblem } from './describe-problem.ts';
import type { Scope } from './library.ts';
import { searchOrder, sharedWorkflowId } from './library.ts';

/** A skill and the workflow it was found in. */
export interface FoundSkill {
  readonly found: true;
  readonly skill: SkillPart;
  readonly workflow: string;
}

/** What a search for a skill comes to. */
export type SkillSearch = FoundSkill | { readonly found: false; readonly reason: string };

/**
 * The skill that `[workflow/]skill` means: in the named workflow, else in the lender and the session's workflow, and
 * then in `meta`.
 *
 * @see docs/authoring.md#skills
 */
export function findSkill(scope: Scope, reference: string): SkillSearch {
  const parsed = parseSkillReference(reference);
  const { skills, obstacle } = searchSkills(scope, parsed);
  return skills[0] ?? { found: false, reason: obstacle ?? absence(scope, parsed) };
}

/**
 * All skills of that name, in the order of {@link findSkill}. A broken one ends the search, for what comes after it is
 * not what was meant; it is the obstacle.
 */
export function searchSkills(
  scope: Scope,
  reference: SkillReference,
): { readonly skills: readonly FoundSkill[]; readonly obstacle?: string } {
  const skills: FoundSkill[] = [];
  for (const id of orderFor(scope, reference)) {
    const workflow = scope.library.get(id);
    const skill = workflow && findIn(workflow.skills, reference.skill);
    const problem = workflow?.problems.find((part) => part.kind === 'skill' && part.id === reference.skill);
    if (skill !== undefined) skills.push({ found: true, skill, workflow: id });
    else if (problem !== undefined) return { skills, obstacle: describeProblem(problem) };
  }
  return { skills };
}

function orderFor(scope: Scope, { workflow }: SkillReference): readonly string[] {
  return workflow === undefined ? searchOrder(scope) : [...new Set([workflow, sharedWorkflowId])];
}

function absence(scope: Scope, reference: SkillReference): string {
  const order = orderFor(scope, reference);
  const known = order.flatMap((id) => scope.library.get(id)?.skills ?? []).map(({ id }) => id);
  const nearest = didYouMean(reference.skill, known);
  const places = order.map((id) => `'${id}'`).join(' or ');
  const hint = nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
  return `There is no skill '${reference.skill}' in ${places}.${hint}`;
}
