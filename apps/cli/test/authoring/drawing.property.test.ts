import { drawWorkflow } from '@workflowlookup/diagrams';
import type { StepWorkflow } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/support/fuzz.ts';
import { mermaidOf } from '../../src/authoring/graph/graph.ts';
import { svgOf } from '../../src/authoring/graph/svg.ts';

/** What somebody might write to break out of a drawing. */
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom(
    '"] --> n9',
    'end',
    '%%{init: {"theme": "dark"}}%%',
    '`**bold**`',
    '1. first',
    '#quot;',
    '</text><script>alert(1)</script>',
    ']]>',
    '&amp;',
    'click n1 "https://example.org"',
    '\u202Eturned',
    'x'.repeat(500),
    '漢字'.repeat(60),
    '\\n',
    ':::done',
    '|"yes"|',
  ),
);

/** A workflow of every kind of node, whose author was hostile. */
const workflow = fc
  .array(hostile, { minLength: 8, maxLength: 8 })
  .map(
    ([
      name = '',
      first = '',
      second = '',
      loop = '',
      inner = '',
      id = '',
      item = '',
      when = '',
    ]): StepWorkflow => ({
      kind: 'steps',
      id: 'flow',
      digest: 'sha256:0',
      definition: {
        id: 'flow',
        name,
        description: '',
        steps: [
          { id: `${id}-1`, title: first, prompt: '', requireConfirmation: true },
          { id: `${id}-2`, title: second, prompt: '', runCondition: { var: `v${when}`, equals: item } },
          {
            id: `${id}-3`,
            type: 'loop',
            title: loop,
            loop: { type: 'forEach', items: item, maxIterations: 3 },
            body: [{ id: `${id}-4`, title: inner, prompt: '' }],
          },
        ],
      },
    }),
  );

/** Letters, digits and signs that mean nothing, or a character by its number. */
const label = String.raw`"(?:[\p{L}\p{M}\p{N} \u00A0.,()'?!/=:+×–—-]|#\d+;|<br/>)+"`;
const statements = [
  String.raw`flowchart TD`,
  String.raw`end`,
  String.raw`subgraph n\d+\[${label}\]`,
  String.raw`n\d+(?:\[|\(\[|\(|\{\{|\{|\[/|\(\()${label}(?:\]|\]\)|\)|\}\}|\}|\\\]|\)\))`,
  String.raw`n\d+ -->(?:\|${label}\|)? n\d+`,
];
const statement = new RegExp(`^ *(?:${statements.join('|')})$`, 'u');

test('a Mermaid drawing contains only its own statements for any definition', () => {
  fc.assert(
    fc.property(workflow, (one) => {
      const lines = mermaidOf(drawWorkflow(one)).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.filter((line) => !statement.test(line))).toEqual([]);
      expect(lines.filter((line) => /-->/.test(line)).length).toBeGreaterThan(6);
    }),
  );
});

/** What a document of elements, attributes in quotes, escaped text and nothing else consists of. */
const token = new RegExp(
  String.raw`<\/?[a-z]+(?: [A-Za-z:-]+="[^"<>&]*(?:&(?:amp|lt|gt|quot|#39);[^"<>&]*)*")*\/?>|[^<>&]+|&(?:amp|lt|gt|quot|#39);`,
  'gy',
);

/** The elements that are left open, and what is no part of a document. */
function misfits(document: string): readonly string[] {
  const open: string[] = [];
  const strange = document.replaceAll(token, (part) => {
    const [, name = ''] = /^<\/?([a-z]+)/.exec(part) ?? [];
    if (part.startsWith('</')) return open.pop() === name ? '' : part;
    if (name !== '' && !part.endsWith('/>')) open.push(name);
    return '';
  });
  return [...open, ...(strange === '' ? [] : [strange])];
}

test('an SVG is well formed and runs nothing for any definition', () => {
  fc.assert(
    fc.property(workflow, (one) => {
      // Of its style only braces and quotes are unlike the rest.
      const document = svgOf(drawWorkflow(one)).replace(/<style>[^]*?<\/style>/, '');
      expect(misfits(document)).toEqual([]);
      expect(document).not.toMatch(/<script|<foreignObject|<image|href=| on[a-z]+=/);
      // oxlint-disable-next-line no-control-regex
      expect(document).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/);
    }),
  );
});
