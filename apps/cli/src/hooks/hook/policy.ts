import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { policyProblems } from '../../messages/hook-replies.ts';
import type { ToolKind } from './tools.ts';

/** The settings of the rules that hooks enforce. */
export interface HookPolicy {
  /** Kinds of tools that need a session bound to the client. */
  readonly require_session: readonly ToolKind[];
  /** `finish`: an agent may not stop in the middle of its session. */
  readonly stop: 'finish' | 'free';
  /** After two blocked stops without progress: park the session, or only let the agent go. */
  readonly after_blocks: 'park' | 'free';
  /** What happens to a tool call when the hook itself fails. */
  readonly failure: 'open' | 'block';
}

export const defaultPolicy: HookPolicy = {
  require_session: [],
  stop: 'finish',
  after_blocks: 'park',
  failure: 'open',
};

/** A policy with the files that it came from, and what is wrong with them. */
export interface FoundPolicy {
  readonly policy: HookPolicy;
  readonly files: readonly string[];
  readonly problems: readonly string[];
}

const place = ['.workflowlookup', 'policy.yaml'] as const;

/** Returns the policy files in folders and the folders around them, and the user's. */
function policyFiles(folders: readonly string[], home: string): readonly string[] {
  const around = folders.flatMap((folder) => {
    const found: string[] = [];
    for (let at = folder; ; at = dirname(at)) {
      found.push(join(at, ...place));
      if (dirname(at) === at) return found;
    }
  });
  return [...new Set([...around, join(home, ...place)])].filter((file) => existsSync(file));
}

/**
 * The largest policy file that is read. Policies are much smaller, and a hook must be fast because it runs at every
 * tool call.
 */
const maxPolicyBytes = 64 * 1024;

/**
 * Returns the text of a file in a project. A repository can have a link to a device in its place, which never ends.
 *
 * @throws Error if it is no file, or is too large
 */
export function textOfFile(file: string, maxBytes: number): string {
  const found = statSync(file);
  if (!found.isFile()) throw new Error(policyProblems.notFile);
  if (found.size > maxBytes) throw new Error(policyProblems.tooLarge(found.size, maxBytes));
  return readFileSync(file, 'utf8');
}

/**
 * Reads the policies that hold in folders, and the user's. For each rule the strictest counts, so that an agent can't
 * free itself with a policy in a folder below.
 */
export async function readPolicy(folders: readonly string[], home: string): Promise<FoundPolicy> {
  const files = policyFiles(folders, home);
  const problems: string[] = [];
  let policy: HookPolicy | undefined;
  for (const file of files) {
    const onProblem = (problem: string): void => void problems.push(`${file}: ${problem}`);
    const read = readRules(await rulesIn(file, onProblem), onProblem);
    policy = policy === undefined ? read : stricter(policy, read);
  }
  return { policy: policy ?? defaultPolicy, files, problems };
}

/** For each rule the stricter value of two policies. */
function stricter(one: HookPolicy, other: HookPolicy): HookPolicy {
  return {
    require_session: [...new Set([...one.require_session, ...other.require_session])],
    stop: [one.stop, other.stop].includes('finish') ? 'finish' : 'free',
    after_blocks: [one.after_blocks, other.after_blocks].includes('park') ? 'park' : 'free',
    failure: [one.failure, other.failure].includes('block') ? 'block' : 'open',
  };
}

type Rules = Readonly<Record<string, unknown>>;

async function rulesIn(file: string, onProblem: (problem: string) => void): Promise<Rules> {
  try {
    return await parse(textOfFile(file, maxPolicyBytes), onProblem);
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
    return {};
  }
}

/** Reads plain lines without a parser, which would make every hook start later. Other YAML loads the parser. */
async function parse(text: string, onProblem: (problem: string) => void): Promise<Rules> {
  const rules: Record<string, unknown> = {};
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.replace(/(^|\s)#.*$/, '').trimEnd();
    if (line === '') continue;
    const [, key = '', value = ''] = /^([a-z_]+):\s*(\[[\w, ]*\]|[a-z]+)$/.exec(line) ?? [];
    if (key === '') return parseYaml(text, onProblem);
    rules[key] = value.startsWith('[')
      ? value
          .slice(1, -1)
          .split(',')
          .map((word) => word.trim())
          .filter((word) => word !== '')
      : value;
  }
  return rules;
}

/**
 * Reads other YAML within the limits of definitions: a text that is nested very deeply can use up the stack of this
 * process.
 */
async function parseYaml(text: string, onProblem: (problem: string) => void): Promise<Rules> {
  const { isJsonObject, readValue } = await import('@workflowlookup/schema');
  const { value, issues } = await readValue({ text, format: 'yaml' });
  if (isJsonObject(value)) return value;
  const [issue] = issues;
  onProblem(issue === undefined ? policyProblems.noMapping : policyProblems.yaml(issue.line, issue.message));
  return {};
}

const toolKinds: readonly ToolKind[] = ['edit', 'shell', 'network'];

/** Reads the rules of hooks. A misspelt key would otherwise leave a rule out without a word. */
function readRules(rules: Rules, onProblem: (problem: string) => void): HookPolicy {
  function word<Word extends string>(key: keyof HookPolicy, words: readonly Word[], standard: Word): Word {
    const value = rules[key];
    if (value === undefined) return standard;
    const found = words.find((one) => one === value);
    if (found === undefined) onProblem(policyProblems.value(key, words, JSON.stringify(value)));
    return found ?? standard;
  }
  const known = Object.keys(defaultPolicy);
  const unknown = Object.keys(rules).filter((key) => !known.includes(key));
  if (unknown.length > 0) onProblem(policyProblems.unknown(unknown.join(', '), known.join(', ')));
  const required = rules['require_session'] ?? [];
  const list = Array.isArray(required) ? required : [required];
  const kinds = list.filter((kind): kind is ToolKind => toolKinds.includes(kind as ToolKind));
  if (kinds.length < list.length)
    onProblem(policyProblems.requireSession(toolKinds.join(', '), JSON.stringify(required)));
  return {
    require_session: kinds,
    stop: word('stop', ['finish', 'free'], defaultPolicy.stop),
    after_blocks: word('after_blocks', ['park', 'free'], defaultPolicy.after_blocks),
    failure: word('failure', ['open', 'block'], defaultPolicy.failure),
  };
}
