import type { Json } from '@workflowlookup/schema';

/** A heading and its lines as a list; nothing without lines. */
export function section(heading: string, lines: readonly string[] = []): readonly string[] {
  return lines.length === 0 ? [] : [[heading, ...lines.map((line) => `- ${line}`)].join('\n')];
}

/** Lines two columns further in. */
export function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** Values of variables, as a caller puts them into its context. */
export function showAssignments(values: Readonly<Record<string, Json>>): string {
  return Object.entries(values)
    .map(([name, value]) => `\`${name}\` = ${JSON.stringify(value)}`)
    .join(', ');
}

/** Names one after the other, each as code. */
export function showNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
