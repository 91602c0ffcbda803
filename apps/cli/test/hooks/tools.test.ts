import { describe, expect, it } from 'vitest';
import { effectsOf, ownToolOf, tokenIn } from '../../src/hooks/hook/tools.ts';

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
    // After another command, an option or a variable.
    'timeout 5 rm x',
    'timeout -k 5 60s rm x',
    'nice -n 10 rm x',
    'sudo -u bob rm x',
    'su bob -c "rm x"',
    'flock lock rm x',
    'setsid rm x',
    'find . | xargs -n 1 rm',
    'ls | xargs -I{} cp {} b',
    'find . -exec rm {} +',
    "find . -name x -exec sh -c 'rm $1' _ {} \\;",
    'while read f; do rm $f; done < list',
    'for f in *; do cp $f b; done',
    'case x in a) rm x;; esac',
    'f() { rm x; }; f',
    'function f { rm x; }',
    'eval "rm x"',
    "trap 'rm x' EXIT",
    'a=rm; $a x',
    'bash -lc "cp a b"',
    "bash <<'EOF'\nrm x\nEOF",
    'bash <<< "rm x"',
    "echo 'rm x' | sh",
    'cat <<EOF | sh\nrm x\nEOF',
    'diff <(rm x) y',
    'cat a | tee >(cat > b)',
    'cat <<EOF\n$(touch x)\nEOF',
    // With a redirection.
    'echo a >| b',
    'echo a->b',
    'echo a=>b',
    'echo a 1<> b',
    'exec 3> b; echo a >&3',
    ': > b',
    '> b',
    'echo a >& b',
    'tee b <<EOF\nhi\nEOF',
    // With an option, or in a program on the command line.
    "sed -i'' s/a/b/ x",
    'sed -nEi s/a/b/p x',
    "sed -n 's/a/b/w out' x",
    "perl -i -pe 's/a/b/' x",
    'perl -e \'open(F, ">x")\'',
    'perl -e \'unlink "x"\'',
    `python -c "open('x', 'w').write('a')"`,
    `python3 -c 'open("x","a")'`,
    `python3 -c "from pathlib import Path; Path('x').write_text('a')"`,
    `python3 -c "import os; os.remove('x')"`,
    `python3 -c "import os; os.system('rm x')"`,
    `python3 -c "import subprocess; subprocess.run(['rm', 'x'])"`,
    "python3 - <<'EOF'\nwith open('x', mode='w') as f: f.write('a')\nEOF",
    `uv run python -c "open('x','w')"`,
    `node -e "require('fs').writeFileSync('x', 'a')"`,
    `node -e "require('child_process').execSync('rm x')"`,
    `node --input-type=module -e "import fs from 'fs'; fs.rmSync('x')"`,
    `ruby -e 'File.write("x", "a")'`,
    `php -r 'file_put_contents("x", "a");'`,
    `awk 'BEGIN { print "a" > "x" }'`,
    `awk 'BEGIN { system("rm x") }'`,
    'sort -o x x',
    'curl -o x https://example.com',
    'curl -sSLO https://example.com/a',
    'wget https://example.com/a',
    'find . -fprint x',
    'find . -delete -exec grep a {} +',
    'git apply a.diff',
    'git --git-dir .git --work-tree . apply a.diff',
    'git -C src restore x',
    'git diff --output=x',
    'git stash',
    'busybox rm x',
    'bash',
    'sh -i',
    'python3',
    'timeout 5 node',
    'ed x',
    'Set-Content x a',
    'RM x',
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
    'command -v rm',
    'bash --version',
    'python3 --version',
    'node -v',
    'ls | python3 -m json.tool',
    '[[ a > b ]] && echo yes',
    'echo $((2 > 1))',
    '(( 2 > 1 )) && ls',
    'find . -name x -exec grep a {} +',
    "awk '$1 > 5 { print $2 }' a",
    'awk \'{ print $1 > "/dev/stderr" }\' a',
    "sed 's/a/w b/' x",
    'cat <<EOF\na > b\nEOF',
    "cat <<'EOF'\n$(rm x)\nEOF",
    'tar -tf a.tar',
    'git stash list',
    'git apply --check a.diff',
    'git worktree list',
    'curl -s -o /dev/null https://example.com',
    `python3 -c "print(open('x').read())"`,
    `node -e "console.log(require('fs').readFileSync('x', 'utf8'))"`,
    'timeout 60 npm install',
    'xargs grep patch',
    'echo a # > b',
    'ls 2>&1 >/dev/null | grep a',
    'grep ">" a',
    'grep \\> a',
  ])('does not write: %s', (command) => {
    expect(bash(command)).not.toContain('edit');
  });

  it('uses the network if a command is known for that', () => {
    expect(bash('curl https://example.com')).toEqual(['shell', 'network']);
    expect(bash('git fetch')).toEqual(['shell', 'network']);
    expect(bash('timeout 5 ssh host')).toEqual(['shell', 'network']);
  });

  it('has an unknown effect if its commands are not known to write or only read', () => {
    expect(effectsOf({ name: 'Bash', input: { command: 'npm test' } }).unknownCommand).toBe('npm test');
    expect(effectsOf({ name: 'Bash', input: { command: 'ls | wc -l' } }).unknownCommand).toBeUndefined();
  });

  it.each([
    './generate',
    '$(echo rm) x',
    '$TOOL x',
    'base64 -d a | sh',
    'python3 a.py',
    'git -c alias.x=!y x',
  ])('has an unknown effect: %s', (command) => {
    const { kinds, unknownCommand } = effectsOf({ name: 'Bash', input: { command } });
    expect(kinds).toEqual(['shell']);
    expect(unknownCommand).toBeDefined();
  });

  it('may be a list of words', () => {
    const input = { command: ['bash', '-lc', 'echo a && rm x'] };
    expect(effectsOf({ name: 'shell', input }).kinds).toContain('edit');
  });

  it.each([
    '"',
    "'",
    '`',
    '$(',
    '<<',
    '<<EOF',
    '(((',
    ')',
    '\\',
    'a <<< ',
    '$(('.repeat(500),
    '$('.repeat(20_000),
    '',
  ])('that is incomplete is parsed without an error: %#', (command) => {
    expect(bash(command)).toContain('shell');
  });

  it('of 2 MB is parsed in less than three seconds, whatever it contains', () => {
    for (const part of ["'a' ", 'open(', 'a > b\n', '"$(x)" ', 'print ', 'w ', '/w']) {
      const startMs = performance.now();
      bash(`python3 - <<'EOF'\n${part.repeat(2_000_000 / part.length)}\nEOF`);
      bash(`sed '${part.replaceAll("'", '').repeat(2_000_000 / part.length)}' ${part.repeat(1000)}`);
      expect(performance.now() - startMs).toBeLessThan(3000);
    }
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
    ['mcp__filesystem__write_file', 'edit'],
    ['mcp__filesystem__edit_file', 'edit'],
    ['mcp__filesystem__move_file', 'edit'],
    ['mcp__filesystem__create_directory', 'edit'],
    ['mcp__github__create_or_update_file', 'edit'],
    ['mcp__serena__replace_symbol_body', 'edit'],
    ['mcp__serena__insert_after_symbol', 'edit'],
    ['mcp__jetbrains__replace_file_text_by_path', 'edit'],
    ['mcp__any__writeFile', 'edit'],
    ['mcp__git__git_commit', 'edit'],
    ['MCP:write_file', 'edit'],
    ['filesystem-write_file', 'edit'],
    ['mcp_filesystem_write_file', 'edit'],
    ['filesystem_edit_file', 'edit'],
    ['mcp__desktop__start_process', 'shell'],
    ['mcp__jetbrains__execute_terminal_command', 'shell'],
    ['PowerShell', 'shell'],
    ['Monitor', 'shell'],
  ])('with the name %s is of the kind %s', (name, kind) => {
    expect(effectsOf({ name, input: {} }).kinds).toEqual([kind]);
  });

  it.each([
    'Read',
    'Grep',
    'Task',
    'mcp__workflowlookup__next_activity',
    'mcp__filesystem__read_file',
    'mcp__filesystem__list_directory',
    'mcp__github__get_file_contents',
  ])('with the name %s has no kind', (name) => {
    expect(effectsOf({ name, input: {} }).kinds).toEqual([]);
  });

  it('of another server that runs a command has the kinds of the command', () => {
    const input = { command: 'rm x' };
    expect(effectsOf({ name: 'mcp__desktop__execute_command', input }).kinds).toEqual(['shell', 'edit']);
  });

  it.each([
    ['REPL', { code: `require('fs').writeFileSync('x', 'a')` }],
    ['mcp__ide__execute_code', { code: `open('x', 'w')` }],
    ['mcp__py__run_python_code', { script: `import os; os.system("rm x")` }],
    ['write_stdin', { session_id: 1, chars: 'rm x\n' }],
    ['write_bash', { sessionId: 'a', input: 'rm x' }],
  ])('that runs code has the kinds of the code: %s', (name, input) => {
    expect(effectsOf({ name, input }).kinds).toEqual(['shell', 'edit']);
    const harmless = Object.fromEntries(Object.keys(input).map((key) => [key, 'print(1)']));
    expect(effectsOf({ name, input: harmless })).toMatchObject({ kinds: ['shell'] });
  });

  it.each([
    'mcp__workflowlookup__start_session',
    'mcp__plugin_workflowlookup_workflowlookup__start_session',
    'mcp_workflowlookup_start_session',
    'workflowlookup_start_session',
    'workflowlookup-start_session',
    'start_session',
  ])('with the name %s is start_session', (name) => {
    expect(ownToolOf(name)).toBe('start_session');
  });

  it('with a name outside our server is not ours', () => {
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
