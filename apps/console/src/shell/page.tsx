import type { ReactNode } from 'react';
import { useTitle } from './use-title.ts';

/** A page: its title, in the window too, what can be done at once, and its content. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  useTitle(title);
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-tight">
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <div className="muted">{lead}</div>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
