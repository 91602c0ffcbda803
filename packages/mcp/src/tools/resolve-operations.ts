import type { ResolvedElement } from '@workflowlookup/core';
import { input } from './fragments.ts';
import { text } from './session-fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';
import { toToon } from './toon.ts';

interface Args {
  readonly operations: readonly string[];
  readonly session_token?: string;
}

/** `resolve_operations`: what references to operations, rules and errors lead to. */
export const resolveOperations = defineTool<Args>({
  name: 'resolve_operations',
  title: 'Look up operations',
  description: 'Looks up operations, rules and errors by reference. Use it for those that your bundle lacks.',
  inputSchema: input(
    {
      operations: {
        type: 'array',
        description: '[workflow/]skill::element each',
        items: { type: 'string', maxLength: 256 },
        maxItems: 1000,
        minItems: 1,
      },
      session_token: text('Looks in its workflow first'),
    },
    ['operations'],
  ),
  annotations: lookupAnnotations,
  examples: {
    request: {
      method: 'resolve_operations',
      params: { operations: ['meta/agent-conduct::file-sensitivity'] },
    },
    response: {
      content: [
        { type: 'text', text: 'operations[1]:\n  - source: agent-conduct\n    workflow: meta\n    …' },
      ],
    },
  },
  async run({ sessions }, { operations, session_token: token }) {
    const resolved = await sessions.operations(operations, token);
    const texts = await Promise.all(resolved.map(entryText));
    return { text: [`operations[${texts.length}]:`, ...texts].join('\n') };
  },
});

/** An item of a list in TOON, with each field on a line of its own: bodies are long, and tables of them hard to read. */
async function entryText({ source, workflow, name, type, body, ref }: ResolvedElement): Promise<string> {
  const entry = await toToon({
    source,
    ...(workflow !== undefined && { workflow }),
    name,
    type,
    ...(body !== undefined && { body }),
    ref,
  });
  return `  - ${entry.replaceAll('\n', '\n    ')}`;
}
