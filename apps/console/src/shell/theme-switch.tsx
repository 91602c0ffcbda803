import { Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { showTheme, storedTheme, themes } from './theme.ts';

const icons = { system: Monitor, light: Sun, dark: Moon } as const;

/** A button that goes from one theme to the next. */
export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState(storedTheme);
  const Icon = icons[theme];
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button
      type="button"
      className="button button-quiet button-small"
      aria-label={`Theme: ${theme}. Change to ${next}.`}
      title={`Theme: ${theme}`}
      onClick={() => {
        showTheme(next);
        setTheme(next);
      }}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}
