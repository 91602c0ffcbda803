import type { ActivityWorkflow } from './activity-workflow.ts';
import { digestOf } from './digest.ts';
import type { Workflow } from './workflow.ts';

/** The digest of what the parts of a workflow say: twins in different notations have the same. */
export function activityDigest({
  definition,
  activities,
  skills,
  resources,
}: Pick<ActivityWorkflow, 'activities' | 'definition' | 'resources' | 'skills'>): string {
  return digestOf({
    definition: { ...content(definition), activities: undefined },
    activities: activities.map((part) => ({
      index: part.index,
      lender: part.lender,
      definition: content(part.definition),
    })),
    skills: skills.map((part) => ({ index: part.index, definition: content(part.definition) })),
    resources: resources.map(({ index, id, name, version, value, body }) => ({
      index,
      id,
      name,
      version,
      content: value ?? body,
    })),
  });
}

/** The digest a workflow should have by what it says. */
export function digestOfWorkflow(workflow: Workflow): string {
  return workflow.kind === 'steps' ? digestOf(workflow.definition) : activityDigest(workflow);
}

/** What a file says, without the schema it names for editors. */
function content(value: object): object {
  return { ...value, $schema: undefined };
}
