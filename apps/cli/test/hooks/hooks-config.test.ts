import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { hookClients } from '../../src/hooks/hook/events.ts';
import { clientHooks } from '../../src/hooks/client-hooks.ts';
import {
  hooksFileOf,
  installedEvents,
  isLeftEmpty,
  isOwnCommand,
  withHooks,
  withoutHooks,
} from '../../src/hooks/hooks-config.ts';

const command = '/usr/bin/node /opt/workflowlookup/main.js hook --client claude-code';
const config = (text: string) => ({ file: 'settings.json', text });

const theirs = `{
  // Our formatter.
  "hooks": {
    "PostToolUse": [
      { "matcher": "Edit", "hooks": [{ "type": "command", "command": "format" }] } // keep this
    ]
  },
  "model": "opus"
}
`;

const editing = hookClients.filter((id) => clientHooks[id].format.kind === 'entries');

describe.each(editing)('the hooks of %s', (id) => {
  it('are added to an empty file', () => {
    const text = withHooks(config(''), id, command);
    expect(installedEvents(config(text)).length).toBeGreaterThan(3);
    expect(withHooks(config(text), id, command)).toBe(text);
  });

  it('leave a file empty if they were alone in it and are removed', () => {
    const alone = withoutHooks(config(withHooks(config(''), id, command)));
    expect(isLeftEmpty(config(alone), id)).toBe(true);
    for (const kept of ['{ // ours\n}', '{ "hooks": {} }', '{ "model": "opus" }', '{ "version": 2 }'])
      expect(isLeftEmpty(config(kept), id)).toBe(false);
  });

  it('keep comments and other hooks, and leave no trace when they are removed', () => {
    const text = withHooks(config(theirs), id, command);
    expect(installedEvents(config(text)).length).toBeGreaterThan(3);
    for (const kept of ['// Our formatter.', '// keep this', '"command": "format"', '"model": "opus"'])
      expect(text).toContain(kept);
    const after = withoutHooks(config(text));
    expect(installedEvents(config(after))).toEqual([]);
    for (const kept of ['// Our formatter.', '// keep this', '"command": "format"', '"model": "opus"'])
      expect(after).toContain(kept);
  });

  it('replace those of another installation', () => {
    const old = withHooks(config(''), id, `npx -y workflowlookup hook --client ${id}`);
    const text = withHooks(config(old), id, command);
    expect(text).not.toContain('npx');
    expect(installedEvents(config(text))).toEqual(installedEvents(config(old)));
  });
});

describe('a file that cannot be changed', () => {
  it.each(['{ "hooks": [] }', '[]', '{ "hooks": ', '{ "hooks": { "Stop": {} } }'])(
    'is refused: %s',
    (text) => {
      expect(() => withHooks(config(text), 'claude-code', command)).toThrow(
        expect.objectContaining({ code: 'INVALID_FILE' }),
      );
    },
  );
});

test('The plugin for Claude Code has the hooks and the server that the commands write', () => {
  const folder = new URL('../../../../examples/claude-code-plugin/', import.meta.url);
  const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  const own = 'workflowlookup hook --client claude-code';
  expect(read('hooks/hooks.json')).toEqual(JSON.parse(withHooks(config(''), 'claude-code', own)));
  const server = { command: 'workflowlookup', args: ['serve', 'stdio'] };
  expect(read('.mcp.json')).toEqual({ mcpServers: { workflowlookup: server } });
});

describe('a command', () => {
  it('is ours if it runs the hook of this program', () => {
    for (const own of [
      command,
      'workflowlookup hook --client codex',
      'npx -y workflowlookup hook --client gemini',
    ])
      expect(isOwnCommand(own)).toBe(true);
    for (const other of ['prettier', 'my-workflowlookup hook', 'echo hook --client', undefined])
      expect(isOwnCommand(other)).toBe(false);
  });
});

describe('the file of a client', () => {
  const machine = { platform: 'linux', home: '/home/ann', cwd: '/project', env: {} } as const;

  it('is in the project or the home folder, or in the folder that a variable of the client names', () => {
    expect(hooksFileOf('claude-code', 'project', machine)).toBe('/project/.claude/settings.json');
    expect(hooksFileOf('codex', 'user', machine)).toBe('/home/ann/.codex/hooks.json');
    const env = { CODEX_HOME: '/etc/codex' };
    expect(hooksFileOf('codex', 'user', { ...machine, env })).toBe('/etc/codex/hooks.json');
    expect(() => hooksFileOf('copilot', 'user', machine)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  it.each(['copilot', 'opencode'] as const)(
    'is written completely if the client has its own file for the hooks: %s',
    (id) => {
      const { format } = clientHooks[id];
      const text = format.kind === 'file' ? format.text(['node', '/opt/it is/main.js', 'hook']) : '';
      expect(text).toContain('/opt/it is/main.js');
    },
  );
});
