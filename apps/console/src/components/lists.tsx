import type { ReactNode } from 'react';

/**
 * Renders a table that scrolls if it is too wide, also with the keyboard. It has the role `group`, because regions of
 * a page need unique names and a page may show the same table twice.
 */
export function ScrollTable({
  label,
  className,
  children,
}: {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="table-wrap" tabIndex={0} role="group" aria-label={label}>
      <table className={className === undefined ? 'table' : `table ${className}`}>{children}</table>
    </div>
  );
}

export function BulletList({
  lines,
  label,
  className = '',
}: {
  readonly lines: readonly string[];
  readonly label?: string;
  readonly className?: string;
}): ReactNode {
  if (lines.length === 0) return null;
  return (
    <ul className={`bullets ${className}`} aria-label={label}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
