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
  /\b(?:curl|wget)\b[^\n|]*\|\s*\w*sh\b|\brm\s+-\w*[rf]\w*\b|\bbase64\s+(?:-d|--decode)\b|\bsudo\s+\S|\/dev\/tcp\//i;

/** Most lines that are listed. */
const maxCommands = 100;

/** The lines of a text that look like commands: an agent that follows the text may run them. */
export function commandsIn(text: string): readonly NamedCommand[] {
  const found: NamedCommand[] = [];
  let isFenced = false;
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    const bare = line.trim().replace(/^(?:[-*|>]\s+|\w+:\s+)*["']?/, '');
    const isFence = /^(?:```|~~~)/.test(bare);
    if (isFence) isFenced = !isFenced;
    const isCommand = isFenced ? bare !== '' && !isFence : looksLikeCommand(line, bare);
    if (isCommand && found.length < maxCommands)
      found.push({ line: index + 1, text: line.trim().slice(0, 200) });
  }
  return found;
}

function looksLikeCommand(line: string, bare: string): boolean {
  if (atStart.test(bare) || anywhere.test(line)) return true;
  return Array.from(line.matchAll(/`([^`]+)`/g)).some(([, code = '']) => inSpan.test(code.trim()));
}
