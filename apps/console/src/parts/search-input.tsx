import type { ReactNode } from 'react';
import { useEffect, useEffectEvent, useId, useState } from 'react';

const pauseMs = 250;

/** A text to look for; it counts when the typing pauses. */
export function SearchInput({
  label,
  placeholder,
  value,
  onChange,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const id = useId();
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
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="search"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  );
}
