import { Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { shellMessages } from '../messages/shell.ts';

const icons = { system: Monitor, light: Sun, dark: Moon } as const;

export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState(storedTheme);
  const Icon = icons[theme];
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button
      type="button"
      className="button button-quiet button-small"
      aria-label={shellMessages.theme.change(theme, next)}
      title={shellMessages.theme.current(theme)}
      onClick={() => {
        showTheme(next);
        setTheme(next);
      }}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}

/** A colour theme; `system` follows the operating system. */
type Theme = 'system' | 'light' | 'dark';

/** In the order of the switch. */
const themes: readonly Theme[] = ['system', 'light', 'dark'];

const storageKey = 'workflowlookup.theme';

export function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

export function showTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
