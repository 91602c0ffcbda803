import type { ReactNode } from 'react';

/** Sentences one below the other; nothing where there are none. */
export function Lines({
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
