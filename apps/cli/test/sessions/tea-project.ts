import { flow } from '../support/definitions.ts';
import type { TestProject } from '../support/test-project.ts';
import { openTestProject } from '../support/test-project.ts';

const tea = flow('tea', {
  name: 'Tea',
  variables: [
    { name: 'milk', type: 'boolean' },
    { name: 'guests', type: 'number' },
  ],
  steps: [
    {
      id: 'boil',
      title: 'Boil',
      prompt: 'Boil water.',
      validationCriteria: [{ type: 'contains', value: 'hot', message: 'Say that it is hot' }],
    },
    { id: 'pour', title: 'Pour', prompt: 'Pour for {{guests}}.', runCondition: 'milk == true' },
    { id: 'serve', title: 'Serve', prompt: 'Serve it.', requireConfirmation: true },
  ],
});

/** Flags that limit a command to the workflows and sessions of the project. */
export const stateFlags = ['--no-bundled', '--state', 'state'];

/** Creates a project with the workflow `tea`: `boil` has criteria, `pour` a condition, and `serve` needs a confirmation. */
export function openTeaProject(entry: string): Promise<TestProject> {
  return openTestProject(entry, { 'workflows/tea.json': tea });
}

/** Replaces the ids of sessions in a text. */
export function maskSessionIds(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{20}\b/g, 'SID');
}

/** Lists the sessions of a project. */
export async function sessionsOf(
  project: TestProject,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { out } = await project.run(['sessions', 'list', '--json', '--state', 'state']);
  return (JSON.parse(out) as { sessions: Record<string, unknown>[] }).sessions;
}
