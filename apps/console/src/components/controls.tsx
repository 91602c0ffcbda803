import type { LucideIcon } from 'lucide-react';
import { Check, Copy } from 'lucide-react';
import type { ChangeEvent, ComponentProps, FormEvent, ReactNode } from 'react';
import { useEffect, useEffectEvent, useId, useState } from 'react';
import { textParams } from '../api/client.ts';

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

/**
 * Returns a function that gives a filter its value and its handler, by its name in the address of the page. `show` gets
 * the search with the changed filter.
 */
export function filterProps<Name extends string>(
  search: { readonly [Key in Name]?: string | undefined },
  show: (next: { readonly [Key in Name]?: string }) => void,
): (name: Name) => {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
} {
  return (name) => ({
    value: search[name],
    onChange: (value) => show(textParams<Name>({ ...search, [name]: value })),
  });
}

/** Renders a select for one filter. A value that is not in the options is added to them. */
export function FilterSelect({
  label,
  none,
  options,
  value = '',
  onChange,
}: {
  readonly label: string;
  readonly none: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly value?: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  const id = useId();
  const isKnown = value === '' || options.some(([one]) => one === value);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="input"
        value={value}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      >
        <option value="">{none}</option>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
        {!isKnown && <option value={value}>{value}</option>}
      </select>
    </div>
  );
}

interface TextFieldProps extends Pick<
  ComponentProps<'input'>,
  'autoFocus' | 'maxLength' | 'placeholder' | 'required' | 'spellCheck'
> {
  readonly label: string;
  /** Only screen readers get the label. */
  readonly hidesLabel?: boolean;
  readonly type?: 'text' | 'search' | 'password';
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** For code and ids: in a font of fixed width, and without a check of the spelling. */
  readonly isMono?: boolean;
  /** The number of lines. Absent for a field of one line. */
  readonly rows?: number;
  /** What belongs into the field. */
  readonly hint?: ReactNode;
  /** Why the text is not valid. */
  readonly problem?: string | undefined;
}

/** Renders a field for a text. */
export function TextField({
  label,
  hidesLabel = false,
  onChange,
  type = 'text',
  isMono = false,
  rows,
  hint,
  problem,
  ...props
}: TextFieldProps): ReactNode {
  const id = useId();
  const note = problem ?? hint;
  const control = {
    id,
    className: isMono ? 'input mono' : 'input',
    autoComplete: 'off',
    spellCheck: !isMono,
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': note === undefined ? undefined : `${id}-note`,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id} className={hidesLabel ? 'hidden-visually' : undefined}>
        {label}
      </label>
      {rows === undefined ? (
        <input {...control} {...props} type={type} />
      ) : (
        <textarea {...control} {...props} rows={rows} />
      )}
      {note !== undefined && (
        <span id={`${id}-note`} className={problem === undefined ? 'small muted' : 'small problem'}>
          {note}
        </span>
      )}
    </div>
  );
}

const pauseMs = 250;

/** Renders a search field. It calls `onChange` when the user stops typing. */
export function SearchInput({
  value = '',
  onChange,
  ...props
}: Pick<TextFieldProps, 'label' | 'hidesLabel' | 'placeholder' | 'onChange'> & {
  readonly value: string | undefined;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  const tell = useEffectEvent(onChange);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => tell(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return <TextField {...props} type="search" spellCheck={false} value={typed} onChange={setTyped} />;
}

/** Renders a form. The page handles what is entered. */
export function Form({
  onSubmit,
  ...props
}: Omit<ComponentProps<'form'>, 'onSubmit'> & { readonly onSubmit: () => void }): ReactNode {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return <form {...props} onSubmit={submit} />;
}

/** Renders a button that copies a text, and says so for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const Icon = isCopied ? Check : Copy;
  return (
    <Button
      look="quiet"
      size="tiny"
      aria-label={label}
      title={label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
    >
      <Icon size={14} aria-hidden />
    </Button>
  );
}
