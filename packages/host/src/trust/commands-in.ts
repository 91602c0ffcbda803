/** A line that looks like something for a shell. */
export interface NamedCommand {
  /** From 1. */
  readonly line: number;
  /** At most 200 characters of it. */
  readonly text: string;
}

/** Programs whose name, with something after it, is taken for a command. */
const programs =
  'apt|apt-get|aws|az|bash|brew|cargo|chmod|chown|crontab|curl|deno|docker|dotnet|gcloud|gh|git|helm|iex|kubectl|launchctl|mkfifo|nc|ncat|npm|npx|openssl|osascript|perl|php|pip|pip3|pipx|pnpm|podman|powershell|psql|pwsh|python3|rm|rsync|scp|socat|sqlite3|ssh|sudo|systemctl|terraform|uvx|wget|xargs|yarn|zsh';

/** Programs whose name is a word of English too: what comes after it has to look like an argument. */
const words = 'cat|cp|dd|env|eval|exec|export|find|go|kill|make|mv|node|python|ruby|sed|sh|source|tar|tee|uv';

const command = `(?:(?:${programs})\\s+\\S|(?:${words})\\s+[-./~$"'<]|\\./\\S)`;
const atStart = new RegExp(`^(?:[$>#%]\\s+)?${command}`);
const inSpan = new RegExp(`^${command}|\\|\\s*\\w*sh\\b|&&|\\$\\(`);
const anywhere =
  /\b(?:curl|wget)\b[^\n|]{0,1000}\|\s*\w*sh\b|\brm\s+-\w*[rf]\w*\b|\bbase64\s+(?:-d|--decode)\b|\bsudo\s+\S|\/dev\/tcp\//i;

/** Most lines that are listed. */
const maxCommands = 100;

/** Most characters of a command that are shown. */
const maxShown = 200;

/** The lines of a text that look like commands: an agent that follows the text may run them. */
export function commandsIn(text: string): readonly NamedCommand[] {
  const found: NamedCommand[] = [];
  let isFenced = false;
  for (const [index, whole] of text.split(/\r\n?|\n/).entries()) {
    for (const line of linesWithin(whole)) {
      const bare = line.replace(/^(?:[-*|>]\s+|\w+:\s+)*["']?/, '');
      const isFence = /^(?:```|~~~)/.test(bare);
      if (isFence) isFenced = !isFenced;
      const at = isFenced ? (bare !== '' && !isFence ? 0 : -1) : commandAt(line, bare);
      if (at >= 0 && found.length < maxCommands) found.push({ line: index + 1, text: shownAt(line, at) });
    }
  }
  return found;
}

/** A line of a file may hold several of a text, and spell characters by their numbers, as JSON and YAML do in quotes. */
function linesWithin(line: string): readonly string[] {
  const decoded = line.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U0{2}([0-9a-f]{6}))/gi,
    (spelled, ...digits) => {
      const code = Number.parseInt(digits.slice(0, 3).join(''), 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : spelled;
    },
  );
  return decoded.split(/\\[nr]|\r\n?|\n/).map((part) => part.trim());
}

/** The part of a long line that the command is in. */
function shownAt(line: string, at: number): string {
  const from = line.length <= maxShown ? 0 : Math.max(0, Math.min(at - 20, line.length - maxShown));
  return (from > 0 ? '…' : '') + line.slice(from, from + maxShown);
}

/** Where a line looks like a command; -1 where it does not. */
function commandAt(line: string, bare: string): number {
  // In JSON, and in quotes, a text begins behind a quotation mark.
  if (atStart.test(bare)) return 0;
  const quoted = line.split('"').find((part) => atStart.test(part.trim()));
  if (quoted !== undefined) return line.indexOf(quoted);
  const found = anywhere.exec(line);
  if (found !== null) return found.index;
  const span = Array.from(line.matchAll(/`([^`]+)`/g)).find(([, code = '']) => inSpan.test(code.trim()));
  return span?.index ?? -1;
}
