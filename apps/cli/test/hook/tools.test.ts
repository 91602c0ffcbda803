import { describe, expect, it } from 'vitest';
import { effectsOf, ownToolOf, tokenIn } from '../../src/hook/tools.ts';

const bash = (command: string) => effectsOf({ name: 'Bash', input: { command } }).kinds;

describe('a command line', () => {
  it.each([
    'echo hi > notes.txt',
    'echo hi >> notes.txt',
    'echo hi>notes.txt',
    'cat a | tee b',
    'rm -rf build',
    'sudo rm -rf build',
    'FORCE=1 rm x',
    '/bin/rm x',
    'cd src && mv a b',
    'true; cp a b',
    'sed -i s/a/b/ x',
    'sed --in-place s/a/b/ x',
    'perl -pi -e s/a/b/ x',
    'git commit -m "Fix it"',
    'git -c a=b checkout main',
    'find . -name "*.tmp" -delete',
    'find . | xargs rm',
    'bash -c "rm x"',
    "sh -c 'echo a > b'",
    'echo $(touch x)',
    'echo "$(touch x)"',
    'echo `touch x`',
    'cat <<EOF > file.txt\nhello\nEOF',
    '(rm x)',
    '{ rm x; }',
    'if true; then rm x; fi',
    'echo a 2> errors.log',
    'echo a &> all.log',
    'mkdir -p a/b',
    'patch -p1 < a.diff',
    'r\\m x',
    "'rm' x",
  ])('writes: %s', (command) => {
    expect(bash(command)).toContain('edit');
  });

  it.each([
    'ls -la',
    'cat a.txt',
    'grep -rn "rm -rf" src',
    "echo 'a > b'",
    'echo "a > b"',
    'ls 2>/dev/null',
    'ls > /dev/null 2>&1',
    'ls 2>&1 | head',
    'git status && git log --oneline | head',
    'git diff HEAD~1',
    'sed -n 1,10p a.txt',
    'find . -name x',
    'cat < a.txt',
    'node -e "(a) => a"',
    'npm test',
    'test 1 -gt 0',
  ])('does not write: %s', (command) => {
    expect(bash(command)).not.toContain('edit');
  });

  it('uses the network if a command is known to', () => {
    expect(bash('curl https://example.com')).toEqual(['shell', 'network']);
  });

  it('is unknown if it neither writes nor only reads, as far as it is known', () => {
    expect(effectsOf({ name: 'Bash', input: { command: 'npm test' } }).unknownCommand).toBe('npm test');
    expect(effectsOf({ name: 'Bash', input: { command: 'ls | wc -l' } }).unknownCommand).toBeUndefined();
  });
});

describe('a tool', () => {
  it.each([
    ['Write', 'edit'],
    ['Edit', 'edit'],
    ['NotebookEdit', 'edit'],
    ['apply_patch', 'edit'],
    ['write_file', 'edit'],
    ['replace', 'edit'],
    ['WebFetch', 'network'],
    ['google_web_search', 'network'],
  ])('%s is of the kind %s', (name, kind) => {
    expect(effectsOf({ name, input: {} }).kinds).toEqual([kind]);
  });

  it.each(['Read', 'Grep', 'mcp__workflowlookup__next_activity', 'Task'])('%s is of no kind', (name) => {
    expect(effectsOf({ name, input: {} }).kinds).toEqual([]);
  });

  it.each([
    'mcp__workflowlookup__start_session',
    'mcp__plugin_workflowlookup_workflowlookup__start_session',
    'mcp_workflowlookup_start_session',
    'workflowlookup_start_session',
    'workflowlookup-start_session',
    'start_session',
  ])('%s is start_session', (name) => {
    expect(ownToolOf(name)).toBe('start_session');
  });

  it('with another name is not ours', () => {
    expect(ownToolOf('mcp__other__restart_sessions')).toBeUndefined();
    expect(ownToolOf('Bash')).toBeUndefined();
  });
});

describe('a token', () => {
  const tokenOf = (...numbers: readonly number[]) =>
    `wl_${Buffer.concat([Buffer.from('5d0c3a9e7f1b2c4d6e8f', 'hex'), Buffer.from(numbers), Buffer.alloc(16, 9)]).toString('base64url')}`;
  const token = tokenOf(0, 7, 1);
  const known = { token, sid: '5d0c3a9e7f1b2c4d6e8f', revision: 7 };

  it.each([
    { session_token: token },
    [{ type: 'text', text: JSON.stringify({ activity_id: 'a', session_token: token }) }],
    { content: [{ type: 'text', text: `session_token: ${token}\nid: a` }] },
    JSON.stringify([{ text: JSON.stringify({ session_token: token }) }]),
  ])('is found in %j', (output) => {
    expect(tokenIn(output)).toEqual(known);
  });

  it('is found in its long form', () => {
    const long = tokenOf(0, 1, 0, 7, 0, 0, 1);
    expect(tokenIn({ session_token: long })).toEqual({ ...known, token: long, revision: 65_543 });
  });

  it('is found in its self-contained form', () => {
    const body = Buffer.from(JSON.stringify({ wf: 'a', sid: known.sid })).toString('base64url');
    expect(tokenIn({ session_token: `${body}.${'a'.repeat(64)}` })).toMatchObject({ sid: known.sid });
  });

  it('is not found in another text', () => {
    expect(tokenIn('session_token: wl_short')).toBeUndefined();
    expect(tokenIn(undefined)).toBeUndefined();
    expect(tokenIn({ text: `a ${token}` })).toBeUndefined();
  });
});
