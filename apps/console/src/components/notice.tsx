import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const icons = { refused: CircleAlert, waits: TriangleAlert, done: CircleCheck, plain: Info } as const;

/** Renders a notice. Screen readers announce errors at once and other notices when they are idle. */
export function Notice({
  tone = 'plain',
  title,
  children,
}: {
  readonly tone?: keyof typeof icons;
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode {
  const Icon = icons[tone];
  return (
    <div className="notice" data-tone={tone} role={tone === 'refused' ? 'alert' : 'status'}>
      <Icon size={18} aria-hidden />
      <div className="stack-tight">
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  );
}

/** Says why a list is empty and what would change that. */
export function EmptyState({
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
