/** Light, dark, or as the system has it. */
export type Theme = 'system' | 'light' | 'dark';

/** In the order a switch goes through them. */
export const themes: readonly Theme[] = ['system', 'light', 'dark'];

const storageKey = 'workflowlookup.theme';

/** The theme this browser was set to. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

/** Shows a theme and keeps it. */
export function showTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
