/** Prints the figures that a test measured, in one line that scripts/gate.mjs repeats. */
export function printFigures(what: string, figures: Readonly<Record<string, string | number>>): void {
  const parts = Object.entries(figures).map(([name, figure]) => `${name} ${shown(figure)}`);
  process.stdout.write(`figures: ${what}: ${parts.join(', ')}\n`);
}

function shown(figure: string | number): string {
  return typeof figure === 'number' ? figure.toLocaleString('en', { maximumFractionDigits: 1 }) : figure;
}
