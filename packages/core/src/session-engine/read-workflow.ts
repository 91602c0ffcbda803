import { describeProblem } from '../library/describe-problem.ts';
import { primarySkill } from '../library/load-skill.ts';
import { orchestratorBundle } from '../library/operation-bundle.ts';
import { definitionText, skillText, summaryText } from '../library/texts.ts';
import { toToon } from '../library/to-toon.ts';
import { standAt } from '../stand-at.ts';
import { deliverBundle } from './deliver-bundle.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import type { Runnable } from './runnable.ts';
import { sessionLibrary } from './session-library.ts';
import type { WorkflowReading } from './sessions.ts';

/** The workflow of a session, for whoever leads the work. */
export async function readWorkflow(
  parts: SessionParts,
  session: OpenSession,
  { summary, full }: { readonly summary: boolean; readonly full: boolean },
): Promise<WorkflowReading> {
  const { runnable } = session;
  const library = await sessionLibrary(parts, session);
  if (runnable.kind === 'steps') {
    const bundle = await deliverBundle(session, orchestratorBundle(library), full);
    return { skill: '', bundle, body: await toToon(reached(session, runnable, summary)) };
  }
  const { workflow } = runnable;
  const primary = primarySkill(library, workflow);
  return {
    skill: primary?.found === true ? await skillText(primary.skill) : '',
    bundle: await deliverBundle(session, orchestratorBundle(library, workflow), full),
    body: await (summary ? summaryText(workflow) : definitionText(workflow)),
  };
}

/** The files of a session's workflow that can't be used, as warnings. */
export function brokenParts(runnable: Runnable): readonly string[] {
  return runnable.kind === 'steps' ? [] : runnable.workflow.problems.map(describeProblem);
}

/** A step workflow as far as its session has come: nothing ahead is shown. */
function reached(
  { state: { completed, current, variables } }: OpenSession,
  { compiled, navigator, workflow }: Extract<Runnable, { kind: 'steps' }>,
  summary: boolean,
): object {
  const { id, version, title } = navigator.workflow;
  const ids = [...completed, ...(current === undefined ? [] : [current])];
  const activities = ids.map((step) => {
    const found = standAt(compiled, step, variables)?.node.step;
    const prompt = summary || found === undefined ? {} : { prompt: found.prompt };
    return { id: step, name: found?.title ?? step, ...prompt };
  });
  return { id, version, title, description: workflow.definition.description, activities };
}
