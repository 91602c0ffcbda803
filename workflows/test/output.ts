import type { Json } from '@workflowlookup/schema';

/** What a step may hand in: text as it stands, labels with what stands under them, or a JSON value. */
export type Output = string | { readonly labels: Readonly<Record<string, string>> } | { readonly json: Json };

/** An output of labelled parts. */
export function labels(parts: Readonly<Record<string, string>>): Output {
  return { labels: parts };
}

/** An output that is one JSON value. */
export function json(value: Json): Output {
  return { json: value };
}

const labelStyles: readonly ((label: string, text: string) => string)[] = [
  (label, text) => `${label}: ${text}`,
  (label, text) => `**${label}:** ${text}`,
  (label, text) => `- **${label}**: ${text}`,
  (label, text) => `## ${label}\n\n${text}\n`,
  (label, text) => `1. _${label}_ - ${text}`,
  (label, text) => `\`${label}:\` ${text}`,
  (label, text) => `| ${label} | ${text} |`,
  (label, text) => `> ${label.toUpperCase()}:\n> ${text}`,
];

/** The same output in every style of writing that criteria have to take. */
export function renderings(output: Output): readonly string[] {
  if (typeof output === 'string') return [output];
  if ('json' in output) {
    const text = JSON.stringify(output.json, null, 2);
    return [text, `\`\`\`json\n${text}\n\`\`\`\n`];
  }
  const parts = Object.entries(output.labels);
  return labelStyles.map((write) => parts.map(([label, text]) => write(label, text)).join('\n'));
}
