import type { ProposedCheck } from './propose-checks.ts';

const head = `# The commands that prove that a step of a workflow was done. A person has to trust this file before a server runs them:
# workflowlookup checks trust
checks:
`;

/** Writes a file of checks. JSON is YAML, so each value is written as JSON. */
export function checksText(proposed: readonly ProposedCheck[]): string {
  if (proposed.length === 0) return `${head.trimEnd()} {}\n`;
  return (
    head +
    proposed
      .map(({ name, check }) => {
        const fields = Object.entries(check).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`);
        return `  ${name}:\n${fields.join('')}`;
      })
      .join('')
  );
}
