const number = new Intl.NumberFormat();

/** A number and what there is so many of: `1 file`, `2 files`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number.format(count)} ${count === 1 ? one : many}`;
}
