import type { CatalogueEntry } from '../contract.ts';
import type { CatalogueSearch } from './catalogue-search.ts';

/** The workflows in which every word of the text stands somewhere. */
export function findWorkflows(
  workflows: readonly CatalogueEntry[],
  { text = '', source }: CatalogueSearch,
): readonly CatalogueEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return workflows.filter((entry) => {
    const { id, name, description, category, tags } = entry;
    const all = [id, name, description, category, ...tags].join(' ').toLowerCase();
    return (source === undefined || entry.source === source) && words.every((word) => all.includes(word));
  });
}
