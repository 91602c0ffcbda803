import { drawWorkflow } from '@workflowlookup/diagrams';
import type { StepWorkflow } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/support/fuzz.ts';
import { mermaidOf } from '../../src/authoring/graph/graph.ts';
import { svgOf } from '../../src/authoring/graph/svg.ts';

/** Texts that try to inject statements or elements into a drawing. */
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

/** A workflow with every kind of node and hostile texts. */
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

/** Matches a label: letters, digits, harmless punctuation, line breaks and characters that are escaped by number. */
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

/** Matches a part of a document that has only elements, quoted attributes and escaped text. */
const token = new RegExp(
  String.raw`<\/?[a-z]+(?: [A-Za-z:-]+="[^"<>&]*(?:&(?:amp|lt|gt|quot|#39);[^"<>&]*)*")*\/?>|[^<>&]+|&(?:amp|lt|gt|quot|#39);`,
  'gy',
);

/** Returns the names of unclosed elements, and the text that is not part of a well-formed document. */
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
      // The pattern above does not match the style sheet, which is the same for every workflow.
      const document = svgOf(drawWorkflow(one)).replace(/<style>[^]*?<\/style>/, '');
      expect(misfits(document)).toEqual([]);
      expect(document).not.toMatch(/<script|<foreignObject|<image|href=| on[a-z]+=/);
      // oxlint-disable-next-line no-control-regex
      expect(document).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/);
    }),
  );
});
