import { WorkflowError } from '@workflowlookup/schema';
import { findResource } from '../library/find-resource.ts';
import { primarySkill, skillForActivity, skillForStep, skillForWorkflow } from '../library/load-skill.ts';
import { namedByOperations, namedByResource } from '../library/needed-workflows.ts';
import { sharedWorkflowId } from '../library/library.ts';
import type { ResolvedElement } from '../library/resolve-operations.ts';
import { resolveOperations } from '../library/resolve-operations.ts';
import { skillText } from '../library/texts.ts';
import type { Outcome } from './call-session.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import { activityPart, loadLibrary, scopeOf, sessionLibrary } from './session-library.ts';
import type { ResourceReading } from './sessions.ts';

/** The skill that leads a whole workflow, in TOON; none where it names none. */
export async function readPrimarySkills(
  parts: SessionParts,
  session: OpenSession,
): Promise<readonly string[]> {
  const { runnable } = session;
  if (runnable.kind === 'steps') return [];
  const found = primarySkill(await sessionLibrary(parts, session), runnable.workflow);
  return found?.found === true ? [await skillText(found.skill)] : [];
}

/** The skill of a step, of the current activity, or before the first activity of the workflow. */
export async function readSkill(
  parts: SessionParts,
  session: OpenSession,
  stepId: string | undefined,
): Promise<Outcome<string>> {
  const { runnable, state } = session;
  if (runnable.kind === 'steps') {
    throw new WorkflowError(
      'SKILL_NOT_FOUND',
      `'${runnable.workflow.id}' is a step workflow: its steps say all there is, and name no skills.`,
    );
  }
  const { workflow } = runnable;
  const library = await sessionLibrary(parts, session);
  if (state.current === undefined) {
    if (stepId !== undefined) {
      throw new WorkflowError('STATE', 'No activity is entered yet whose step could name a skill.', {
        data: { remedy: 'move' },
      });
    }
    const skill = skillForWorkflow(library, workflow);
    return { value: await skillText(skill), skill: skill.id };
  }
  const place = { library, workflow, activity: activityPart(workflow, state.current) };
  const skill = stepId === undefined ? skillForActivity(place) : skillForStep(place, stepId);
  return { value: await skillText(skill), skill: skill.id };
}

/** A resource by number, id or name, also `workflow/resource`. */
export async function readResource(
  parts: SessionParts,
  session: OpenSession,
  resourceId: string,
): Promise<ResourceReading> {
  const named = namedByResource(resourceId);
  const library = await sessionLibrary(parts, session, named === undefined ? [] : [named]);
  const { id, version, body } = findResource(scopeOf(session, library), resourceId);
  return { id, ...(version === undefined ? {} : { version }), body };
}

/** Elements of skills by reference; without a session what is shared alone is seen. */
export async function readOperations(
  parts: SessionParts,
  refs: readonly string[],
  session?: OpenSession,
): Promise<readonly ResolvedElement[]> {
  const named = namedByOperations(refs);
  if (session === undefined) {
    return resolveOperations(refs, { library: await loadLibrary(parts, [sharedWorkflowId, ...named]) });
  }
  return resolveOperations(refs, scopeOf(session, await sessionLibrary(parts, session, named)));
}
