import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  /** `main`: what a form or a page is for. `quiet`: without a frame. `danger`: it can't be undone. */
  readonly look?: 'main' | 'quiet' | 'danger' | undefined;
  readonly size?: 'small' | 'tiny';
  /** Shown before the text. */
  readonly icon?: LucideIcon;
}

/** Renders a button. It submits a form only if its type says so. */
export function Button({
  look,
  size,
  icon: Icon,
  type = 'button',
  className,
  children,
  ...props
}: ButtonProps): ReactNode {
  const classes = ['button', look && `button-${look}`, size && `button-${size}`, className];
  return (
    <button type={type} className={classes.filter(Boolean).join(' ')} {...props}>
      {Icon !== undefined && <Icon size={size === undefined ? 16 : 14} aria-hidden />}
      {children}
    </button>
  );
}
