import { plainLine } from '../plain-text.ts';
import { columns } from '../render/columns.ts';
import type { Emphasis, Terminal } from '../terminal.ts';
import type { Check } from './check.ts';

const emphasisOf = { ok: 'green', problem: 'red', skipped: 'dim' } as const satisfies Record<
  Check['standing'],
  Emphasis
>;

/** What was found, a line each, and below a problem what would set it right. */
export function findingsText(checks: readonly Check[], { paint }: Pick<Terminal, 'paint'>): string {
  const rows = columns(checks.map(({ standing, name, says }) => [standing, name, plainLine(says)])).split(
    '\n',
  );
  const lines = checks.flatMap(({ standing, fix }, at) => {
    const row = rows[at] ?? '';
    const painted = paint(emphasisOf[standing], row.slice(0, standing.length)) + row.slice(standing.length);
    return fix === undefined ? [painted] : [painted, `         ${plainLine(fix)}`];
  });
  const problems = checks.filter(({ standing }) => standing === 'problem').length;
  const sum = problems === 1 ? '1 problem.' : `${problems} problems.`;
  const waits = checks.some(({ standing, fix }) => standing === 'skipped' && fix !== undefined);
  const none = waits ? 'No problems, but a person has to decide about the above.' : 'No problems found.';
  return [...lines, '', problems === 0 ? none : sum].join('\n');
}
