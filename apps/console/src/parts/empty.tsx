import type { ReactNode } from 'react';

/** What stands where there is nothing to show: why, and what would change it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}
