import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CatalogueEntry } from '../contract.ts';

/** A workflow in the catalogue. */
export function CatalogueCard({ entry }: { readonly entry: CatalogueEntry }): ReactNode {
  const { id, name, description, version, kind, source, overrides, tags } = entry;
  return (
    <li className="card catalogue-card">
      <h2>
        <Link to="/workflows/$id" params={{ id }}>
          {name}
        </Link>
      </h2>
      <p className="small muted">
        <code>{id}</code> {version}
      </p>
      <p className="catalogue-text">{description}</p>
      <p className="small muted">
        {kind === 'steps' ? 'Steps' : 'Activities'} from {source}
        {overrides.length > 0 && `, instead of that of ${overrides.join(', ')}`}
        {tags.length > 0 && ` · ${tags.join(', ')}`}
      </p>
    </li>
  );
}
