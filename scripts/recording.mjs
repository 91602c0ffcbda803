// Draws docs/images/demo.svg: the session of the demo as a terminal in which the lines appear one by one. The animation
// uses only CSS, so it works wherever an SVG is shown.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const demo = fileURLToPath(new URL('demo.mjs', import.meta.url));
const file = fileURLToPath(new URL('../docs/images/demo.svg', import.meta.url));

const columns = 104;
const lineHeight = 20;
const charWidth = 7.85;
const margin = 20;
/** In seconds: the time between two lines, and how long the whole text stays before the animation starts again. */
const pace = { line: 0.7, rest: 6 };

const printed = execFileSync(process.execPath, [demo], { encoding: 'utf8' });
const session = printed.slice(printed.indexOf("A session on '")).trim();
// The session id and the state directory differ in each run.
const lines = session
  .replaceAll(/\b[0-9a-f]{20}\b/g, 'SESSION')
  .replaceAll(/--state \S+/g, '--state STATE')
  .split('\n')
  .flatMap(wrapped);
const total = lines.length * pace.line + pace.rest;
const width = Math.ceil(columns * charWidth + 2 * margin);
const height = lines.length * lineHeight + 2 * margin;

writeFileSync(
  file,
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="An agent is refused a skipped step and its own approval">
<style>
text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #d6dbe5; white-space: pre; }
.refused { fill: #ff9d8a; }
.line { opacity: 0; animation: ${total}s infinite; }
${lines.map((_, at) => keyframes(at)).join('\n')}
@media (prefers-reduced-motion: reduce) { .line { opacity: 1; animation: none; } }
</style>
<rect width="100%" height="100%" rx="8" fill="#1a1f2b"/>
${lines.map(drawn).join('\n')}
</svg>
`,
);
console.log(`${file}: ${lines.length} lines, ${total.toFixed(1)} s`);

function keyframes(at) {
  const percent = ((at * pace.line * 100) / total).toFixed(2);
  return `@keyframes l${at} { 0%, ${percent}% { opacity: 0 } ${(Number(percent) + 0.5).toFixed(2)}%, 100% { opacity: 1 } }`;
}

function drawn({ text, isRefusal }, at) {
  const y = margin + (at + 0.75) * lineHeight;
  const kind = isRefusal ? 'line refused' : 'line';
  return `<text class="${kind}" style="animation-name: l${at}" x="${margin}" y="${y}">${escaped(text)}</text>`;
}

/** Breaks a printed line into lines that fit into the picture, all indented like the first one. */
function wrapped(line) {
  const [indent] = /^ */.exec(line);
  const isRefusal = indent !== '';
  const rows = [];
  for (const word of line.trim().split(' ')) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + word.length < columns) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(rows.length === 0 ? indent + word : `${indent}  ${word}`);
  }
  return rows.map((text) => ({ text, isRefusal }));
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
