import { setImmediate } from 'node:timers/promises';

// An agent can set the variables in patterns and can name files. A regular expression can take hours for a name of 40
// characters, so all possible matches are followed at the same time. The time then grows only with the lengths of the
// pattern and of the name.

/** Longer patterns match nothing. */
const maxPatternLength = 1000;

/** How long paths are matched before other requests are served, in milliseconds. */
const turnMs = 10;

/** A step of a compiled pattern: it matches a character, or branches to several other steps. */
type Step = { readonly takes: (char: string) => boolean } | { readonly to: number[] };

/**
 * Returns those paths that match none of the patterns. `*` and `?` stand for characters of one name, `**` for any number of
 * folders, `[a-z]` and `[!a-z]` for one character, `{a,b}` for one of several texts.
 */
export async function pathsOutside(
  paths: readonly string[],
  patterns: readonly string[],
): Promise<readonly string[]> {
  const programs = patterns
    .filter(({ length }) => length <= maxPatternLength)
    .map((pattern) => compile([...pattern]));
  const outside: string[] = [];
  let sinceMs = performance.now();
  for (const path of paths) {
    let isWithin = false;
    for (const program of programs) {
      isWithin ||= matches(program, path);
      if (performance.now() - sinceMs > turnMs) {
        await setImmediate();
        sinceMs = performance.now();
      }
      if (isWithin) break;
    }
    if (!isWithin) outside.push(path);
  }
  return outside;
}

const inName = (char: string): boolean => char !== '/';
const any = (): boolean => true;

/** Compiles a pattern in one pass, so that unbalanced braces in an agent's pattern cost no extra time. */
function compile(pattern: readonly string[]): readonly Step[] {
  const steps: Step[] = [];
  const closed = closedBraces(pattern);
  const open: { readonly split: number[]; readonly exits: number[][] }[] = [];
  const jump = (...to: number[]): number[] => {
    steps.push({ to });
    return to;
  };
  const take = (takes: (char: string) => boolean): void => void steps.push({ takes });
  const repeat = (takes: (char: string) => boolean): void => {
    const start = steps.length;
    jump(start + 1, start + 3);
    take(takes);
    jump(start);
  };
  const leave = (): void => void open.at(-1)?.exits.push(jump());

  /** Compiles stars, and returns the place of the last character that belongs to them. */
  function stars(from: number): number {
    let at = from;
    while (pattern[at + 1] === '*') at += 1;
    const isFolder = at > from && (from === 0 || '/{,'.includes(pattern[from - 1] ?? ''));
    if (!isFolder || pattern[at + 1] !== '/') {
      repeat(isFolder && at + 1 === pattern.length ? any : inName);
      return at;
    }
    const skip = jump(steps.length + 1);
    repeat(any);
    take((other) => other === '/');
    skip.push(steps.length);
    return at + 1;
  }

  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] ?? '';
    const end = endOfClass(pattern, at);
    const group = open.at(-1);
    if (char === '*') {
      at = stars(at);
    } else if (char === '?') take(inName);
    else if (end !== undefined) {
      take(inClass(pattern.slice(at + 1, end)));
      at = end;
    } else if (char === '{' && closed.has(at)) {
      open.push({ split: jump(steps.length + 1), exits: [] });
    } else if (char === ',' && group !== undefined) {
      leave();
      group.split.push(steps.length);
    } else if (char === '}' && closed.has(at) && group !== undefined) {
      leave();
      open.pop();
      for (const exit of group.exits) exit.push(steps.length);
    } else {
      if (char === '\\' && at + 1 < pattern.length) at += 1;
      const literal = pattern[at];
      take((other) => other === literal);
    }
  }
  return steps;
}

/** Returns where the class ends that begins at a place, or `undefined` if no class begins there. */
function endOfClass(pattern: readonly string[], at: number): number | undefined {
  if (pattern[at] !== '[') return undefined;
  const end = pattern.indexOf(']', at + 2);
  return end < 0 ? undefined : end;
}

function inClass(content: readonly string[]): (char: string) => boolean {
  const isNot = content[0] === '!' || content[0] === '^';
  const chars = isNot ? content.slice(1) : content;
  const has = (char: string): boolean =>
    chars.some((one, at) =>
      one === '-' && at > 0 && at < chars.length - 1
        ? char >= (chars[at - 1] ?? '') && char <= (chars[at + 1] ?? '')
        : one === char,
    );
  return (char) => inName(char) && has(char) !== isNot;
}

/** Returns the places of braces that belong together. Others stand for themselves. */
function closedBraces(pattern: readonly string[]): ReadonlySet<number> {
  const closed = new Set<number>();
  const open: number[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === '[') at = endOfClass(pattern, at) ?? at;
    else if (pattern[at] === '{') open.push(at);
    else if (pattern[at] === '}') {
      const start = open.pop();
      if (start !== undefined) closed.add(start).add(at);
    }
  }
  return closed;
}

function matches(steps: readonly Step[], path: string): boolean {
  let open = new Set<number>();
  const enter = (into: Set<number>, start: number): void => {
    for (const stack = [start]; stack.length > 0;) {
      const at = stack.pop() ?? 0;
      if (into.has(at)) continue;
      into.add(at);
      const step = steps[at];
      if (step !== undefined && 'to' in step) stack.push(...step.to);
    }
  };
  enter(open, 0);
  for (const char of path) {
    const next = new Set<number>();
    for (const at of open) {
      const step = steps[at];
      if (step !== undefined && 'takes' in step && step.takes(char)) enter(next, at + 1);
    }
    if (next.size === 0) return false;
    open = next;
  }
  return open.has(steps.length);
}
