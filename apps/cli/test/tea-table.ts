import { flow } from './definitions.ts';
import type { Desk } from './desk.ts';
import { openDesk } from './desk.ts';

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

/** Flags of a command that sees the table and nothing else. */
export const place = ['--no-bundled', '--state', 'state'];

/** A desk with the workflow `tea`: boil, which is judged; pour, where there is milk; serve, which is confirmed. */
export function openTable(entry: string): Promise<Desk> {
  return openDesk(entry, { 'workflows/tea.json': tea });
}

/** A text without the ids of sessions. */
export function masked(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{20}\b/g, 'SID');
}

/** The sessions that are kept at a desk. */
export async function sessionsOf(desk: Desk): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { out } = await desk.run(['sessions', 'list', '--json', '--state', 'state']);
  return (JSON.parse(out) as { sessions: Record<string, unknown>[] }).sessions;
}
