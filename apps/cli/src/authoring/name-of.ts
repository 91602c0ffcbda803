import { relative, sep } from 'node:path';

/** An absolute path as people call it: from the working folder, where it lies in it. */
export function nameOf(path: string): string {
  const name = relative(process.cwd(), path);
  if (name === '') return '.';
  return name === '..' || name.startsWith(`..${sep}`) ? path : name;
}
