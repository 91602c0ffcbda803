/** The first part of a dotted name: the variable that a path leads into. */
export function rootOf(name: string): string {
  return name.split('.', 1)[0] ?? name;
}
