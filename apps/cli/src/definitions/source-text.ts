import { plainLine } from '../plain-text.ts';
import type { Terminal } from '../terminal.ts';
import type { Shadowed, SourceView } from './sources.ts';

/** A source as people read it: where it is, what it has, which of its files do not count and which are broken. */
export function sourceText(source: SourceView, { paint }: Terminal): string {
  const { name, directory, isFound, count, overridden, problems, untrusted } = source;
  const has = isFound ? `${count} workflow${count === 1 ? '' : 's'}` : 'not there';
  return [
    `${paint('bold', name)}  ${plainLine(directory)}  ${paint(isFound ? 'green' : 'dim', has)}`,
    ...source.served.map(({ id, file = '' }) => `  ${plainLine(id)}  ${paint('dim', plainLine(file))}`),
    ...overridden.map((shadowed) => `  ${paint('yellow', shadowText(shadowed))}`),
    ...(untrusted === 0
      ? []
      : [
          `  ${paint('yellow', `${untrusted} not served to agents${source.untrustedIds.length === 0 ? '' : ` (${source.untrustedIds.join(', ')})`}: workflowlookup trust`)}`,
        ]),
    ...problems.map(
      ({ file, severity, message }) =>
        `  ${paint(severity === 'error' ? 'red' : 'yellow', severity)} ${plainLine(file)}: ${plainLine(message)}`,
    ),
  ].join('\n');
}

function shadowText({ id, file = '', by }: Shadowed): string {
  const winner = `${by.source}: ${plainLine(by.file ?? '')}`;
  const how = by.isBroken ? 'is hidden by the broken file of' : 'is overridden by';
  return `${plainLine(id)} (${plainLine(file)}) ${how} ${winner}`;
}
