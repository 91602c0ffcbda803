import type { ReactNode } from 'react';

/**
 * A table that is scrolled by itself where it is wider than its place, by the keyboard too. It is a group and no region:
 * regions of one page have names of their own, and the same table may stand on a page twice.
 */
export function ScrollTable({
  label,
  className,
  children,
}: {
  readonly label: string;
  /** What it has beside the look of every table. */
  readonly className?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="table-wrap" tabIndex={0} role="group" aria-label={label}>
      <table className={className === undefined ? 'table' : `table ${className}`}>{children}</table>
    </div>
  );
}
