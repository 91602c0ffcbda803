/** Prints what a bar came to, in one line that the gate repeats. */
export function printFigures(bar: string, figures: Readonly<Record<string, string | number>>): void {
  const parts = Object.entries(figures).map(([name, figure]) => `${name} ${shown(figure)}`);
  process.stdout.write(`figures: ${bar}: ${parts.join(', ')}\n`);
}

function shown(figure: string | number): string {
  return typeof figure === 'number' ? figure.toLocaleString('en', { maximumFractionDigits: 1 }) : figure;
}
