import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { RenderedText } from '../src/components/rendered-text.tsx';

const markup = (text: string): string =>
  renderToStaticMarkup(createElement(RenderedText, { text, label: 'Output' }));

test('headings and inline code of Markdown are rendered, also in tables', () => {
  const html = markup(
    '## Plan for: `a.ts`\n\nChange `b <i>` and see https://example.org/x.\n\n|A|B|\n|--|--|\n|`c`|d|',
  );
  expect(html).toContain('<p class="said-heading">Plan for: <code>a.ts</code></p>');
  expect(html).toContain('Change <code>b &lt;i&gt;</code> and see <a href="https://example.org/x"');
  expect(html).toContain('<td><code>c</code></td>');
  expect(html).not.toMatch(/<(h\d|i)>/);
});

test('what only looks like Markdown stays as it was written', () => {
  expect(markup('run\n# a comment\ndone')).toContain('run\n# a comment\ndone');
  expect(markup('#42 is fixed')).toContain('#42 is fixed');
  expect(markup('one ` is open')).toContain('one ` is open');
  expect(markup('``` x')).toContain('``` x');
  expect(markup('## <script>alert(1)</script>')).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});
