/** Colours by what they are for. */
type Palette = Readonly<Record<keyof typeof light, string>>;

const light = {
  page: '#ffffff',
  ink: '#1f2328',
  soft: '#59636e',
  line: '#818b98',
  box: '#f6f8fa',
  frame: '#eff2f5',
  asked: '#ddf4ff',
  askedLine: '#0969da',
  done: '#d7f3dd',
  doneLine: '#1a7f37',
  now: '#fff3c4',
  nowLine: '#9a6700',
  no: '#ffdcd7',
  noLine: '#cf222e',
};

const dark: Palette = {
  page: '#0d1117',
  ink: '#e6edf3',
  soft: '#9198a1',
  line: '#6e7681',
  box: '#21262d',
  frame: '#161b22',
  asked: '#0c2d4a',
  askedLine: '#4493f8',
  done: '#12361e',
  doneLine: '#3fb950',
  now: '#3d2e00',
  nowLine: '#d29922',
  no: '#4a1518',
  noLine: '#f85149',
};

/** Rules that read no variables: not everything that shows an SVG knows them. */
function coloursOf(of: Palette): string {
  return `
.page, .edge rect { fill: ${of.page}; }
text { fill: ${of.ink}; }
.node rect, .node polygon { fill: ${of.box}; stroke: ${of.line}; }
.group > rect { fill: ${of.frame}; stroke: ${of.line}; }
.choice polygon, .decision polygon, .round polygon { fill: ${of.page}; }
.gate polygon { fill: ${of.asked}; stroke: ${of.askedLine}; }
.exit rect { fill: ${of.line}; }
.node.done > rect, .node.done > polygon { fill: ${of.done}; stroke: ${of.doneLine}; }
.node.current > rect, .node.current > polygon { fill: ${of.now}; stroke: ${of.nowLine}; }
.node.refused > rect, .node.refused > polygon { fill: ${of.no}; stroke: ${of.noLine}; }
.node.skipped > rect, .node.skipped > polygon { fill: ${of.page}; stroke: ${of.line}; }
.group.done > rect { stroke: ${of.doneLine}; }
.group.current > rect { stroke: ${of.nowLine}; }
.group.refused > rect { stroke: ${of.noLine}; }
.skipped > text, .edge text { fill: ${of.soft}; }
.edge path { stroke: ${of.line}; }
.edge .tip { fill: ${of.line}; }
.taken path { stroke: ${of.doneLine}; }
.taken .tip { fill: ${of.doneLine}; }
.leap path { stroke: ${of.noLine}; }
.leap .tip { fill: ${of.noLine}; }
`;
}

/** The look of a drawing, on a light and on a dark page. */
export const style = `
text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; text-anchor: middle; }
.group > text { text-anchor: start; font-weight: 600; }
.group > rect { stroke-dasharray: 2 3; }
.current > rect, .current > polygon, .refused > rect, .refused > polygon { stroke-width: 3; }
.skipped > rect, .skipped > polygon { stroke-dasharray: 4 3; }
.edge path { fill: none; }
.edge text { font-size: 12px; }
.edge rect { opacity: 0.85; }
.taken path { stroke-width: 2.5; }
.leap path { stroke-dasharray: 6 4; }
${coloursOf(light)}@media (prefers-color-scheme: dark) {${coloursOf(dark)}}
`;
