import { writeOutHidden } from '@workflowlookup/schema';
import { placeInFolder } from './place-in-folder.ts';

/** Folders below a source that are looked through for definitions. */
const mostFolders = 3;

/**
 * Whether a source would find a file of this name: not deeper than it looks, no file of tests, and no name with
 * characters that nobody sees. A definition saved elsewhere would never be served, and nobody would hear why.
 */
export function isScanned(file: string): boolean {
  if (/\.test\.[^./]+$/.test(file) || writeOutHidden(file) !== file || /[\t\n\r]/.test(file)) return false;
  const place = placeInFolder(file);
  const folders = (place?.prefix.replace(/\/$/, '') ?? file.slice(0, Math.max(0, file.lastIndexOf('/'))))
    .split('/')
    .filter((folder) => folder !== '').length;
  if (folders > mostFolders) return false;
  return place !== undefined || /\.(?:json|ya?ml)$/.test(file);
}
