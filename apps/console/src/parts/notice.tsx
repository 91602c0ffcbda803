import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const icons = { refused: CircleAlert, waits: TriangleAlert, done: CircleCheck, plain: Info } as const;

/** Something that has to be said. What went wrong is read out at once, the rest when there is time. */
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
