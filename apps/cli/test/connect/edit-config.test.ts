import { diffChars } from 'diff';
import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { connectMessages as texts } from '../../src/messages/clients.ts';
import { clientIds, clients } from '../../src/connect/clients.ts';
import type { McpServer } from '../../src/connect/clients.ts';
import { editConfig } from '../../src/connect/connect.ts';

const stdio: McpServer = { command: '/usr/bin/node', args: ['/opt/flows/main.js', 'serve', 'stdio'] };
const moved: McpServer = { command: '/usr/bin/node', args: ['/new/main.js', 'serve', 'stdio'] };
const http: McpServer = { url: 'https://flows.example.com/mcp', keyEnv: 'TEAM_KEY' };

/** Returns the edited text of a file of Cursor. */
const cursor = (text: string, server: McpServer = stdio): string =>
  editConfig({ file: 'mcp.json', text }, clients.cursor, server);
const vscode = (text: string, server: McpServer = stdio): string =>
  editConfig({ file: 'mcp.json', text }, clients.vscode, server);
const codex = (text: string, server: McpServer = stdio): string =>
  editConfig({ file: 'config.toml', text }, clients.codex, server);

/** Returns the text that an edit removed. */
function removedFrom(before: string, after: string): string {
  return diffChars(before, after)
    .filter(({ removed }) => removed)
    .map(({ value }) => value)
    .join('');
}

describe('editing a JSON file', () => {
  test.each([
    ['nothing', ''],
    ['an empty object', '{}'],
    ['an empty object with room', '{\n}\n'],
    ['no other server', '{\n  "mcpServers": {}\n}\n'],
    ['a line', '{"theme":"dark","mcpServers":{"other":{"url":"https://x"}}}'],
    ['tabs', '{\n\t"mcpServers": {\n\t\t"other": {"command": "y"}\n\t}\n}'],
    [
      'Windows line ends',
      '{\r\n    "mcpServers": {\r\n        "other": { "command": "y" }\r\n    }\r\n}\r\n',
    ],
    ['a byte order mark', '\uFEFF{ "mcpServers": { } }'],
    [
      'comments and trailing commas',
      '{\n  // mine\n  "a": 1, // one\n  "mcpServers": {\n    "other": { "command": "y",   "args":[ ] }, // last\n    /* end */\n  },\n  "z": [1,2,\n3]\n}\n// end',
    ],
    [
      'a comment behind the last member',
      '{\n  "mcpServers": {\n    "other": { "command": "y" } // why\n  }\n}',
    ],
  ])('keeps every byte of a file with %s', (_, before) => {
    const after = cursor(before);
    expect(removedFrom(before, after)).toBe('');
    const wanted = (parseJsonc(before.replace('\uFEFF', '')) ?? {}) as Record<string, object>;
    expect(parseJsonc(after.replace('\uFEFF', ''))).toEqual({
      ...wanted,
      mcpServers: { ...wanted['mcpServers'], workflowlookup: stdio },
    });
    expect(cursor(after)).toBe(after);
  });

  test('formats the entry like its neighbours', () => {
    const before = '{\n\t"mcpServers": {\n\t\t"other": { "command": "y" } // why\n\t}\n}\n';
    expect(cursor(before, { command: 'node', args: ['a'] })).toBe(
      '{\n\t"mcpServers": {\n\t\t"other": { "command": "y" }, // why\n\t\t"workflowlookup": {\n\t\t\t"command": "node",\n\t\t\t"args": [\n\t\t\t\t"a"\n\t\t\t]\n\t\t}\n\t}\n}\n',
    );
  });

  test('updates a moved server, and keeps what a person added to it', () => {
    const before = cursor('').replace('"command"', '"env": { "WORKFLOWLOOKUP_STATE": "/s" }, "command"');
    const after = cursor(before, moved);
    expect(removedFrom(before, after)).not.toContain('WORKFLOWLOOKUP_STATE');
    expect(JSON.parse(after)).toEqual({
      mcpServers: { workflowlookup: { env: { WORKFLOWLOOKUP_STATE: '/s' }, ...moved } },
    });
  });

  test('replaces a server with another kind of connection', () => {
    const before = cursor('').replace('"command"', '"env": {}, "command"');
    expect(JSON.parse(cursor(before, http))).toEqual({
      mcpServers: {
        workflowlookup: {
          url: 'https://flows.example.com/mcp',
          headers: { Authorization: 'Bearer ${env:TEAM_KEY}' },
        },
      },
    });
    expect(cursor(cursor(before, http), stdio)).toBe(cursor(''));
  });

  test('makes VS Code ask for the key once', () => {
    const before = '{\n  "inputs": [{ "type": "promptString", "id": "other" }],\n  "servers": {}\n}\n';
    const after = vscode(before, http);
    expect(removedFrom(before, after)).toBe('');
    expect(JSON.parse(after)).toMatchObject({
      inputs: [{ id: 'other' }, { id: 'TEAM_KEY', password: true }],
    });
    expect(vscode(after, http)).toBe(after);
    expect(JSON.parse(vscode('{}', http))).toMatchObject({ inputs: [{ id: 'TEAM_KEY' }] });
  });

  test.each([
    ['{\n  "mcpServers": {\n    "a": 1,,\n  }\n}', '3:12', texts.notJson('property name expected')],
    ['{ "mcpServers": ', '1:17', texts.notJson('value expected')],
    ['// nothing', '1:11', texts.notJson('value expected')],
    ['[]', '1:1', texts.notObject(undefined)],
    ['{\n  "mcpServers": []\n}', '2:17', texts.notObject('mcpServers')],
    ['{ "mcpServers": null }', '1:17', texts.notObject('mcpServers')],
    ['{ "mcpServers": {}, "mcpServers": { "a": {} } }', '1:17', texts.twice('mcpServers')],
  ])('is refused for %j', (text, place, message) => {
    expect(() => cursor(text)).toThrow(texts.notChanged(`mcp.json:${place}`, message));
  });

  test('is refused if inputs is not an array', () => {
    expect(() => vscode('{ "inputs": {} }', http)).toThrow(
      texts.notChanged('mcp.json:1:13', texts.notArray('inputs')),
    );
  });

  test('keeps every byte of a random file', () => {
    const space = fc.constantFrom('', ' ', '\n', '\n  ', '\t', ' /* c */ ', ' // c\n');
    const { document } = fc.letrec<{ document: string; value: string; object: string }>((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.json({ maxDepth: 1 }), tie('object')),
      object: fc
        .tuple(
          fc.uniqueArray(fc.string(), { maxLength: 3 }),
          fc.array(tie('value'), { minLength: 3, maxLength: 3 }),
          space,
        )
        .map(([keys, values, gap]) => {
          const members = keys.map((key, at) => `${gap}${JSON.stringify(key)}:${gap}${values[at] ?? '0'}`);
          return `{${members.join(`${gap},`)}${gap}}`;
        }),
      document: fc.tuple(tie('object'), tie('object'), space).map(([others, servers, gap]) => {
        const inside = others.slice(1, -1);
        const isEmpty = !inside.includes('"');
        return `${gap}{${inside}${isEmpty ? '' : ','}${gap}"mcpServers"${gap}:${gap}${servers}${gap}}${gap}`;
      }),
    }));
    fc.assert(
      fc.property(document, (before) => {
        const wanted = parseJsonc(before) as Record<string, object>;
        fc.pre(!('workflowlookup' in (wanted['mcpServers'] ?? {})));
        const after = cursor(before);
        expect(removedFrom(before, after)).toBe('');
        expect(parseJsonc(after)).toEqual({
          ...wanted,
          mcpServers: { ...wanted['mcpServers'], workflowlookup: stdio },
        });
        expect(cursor(after)).toBe(after);
      }),
    );
  });
});

describe('editing a TOML file', () => {
  test.each([
    ['nothing', ''],
    ['a comment alone', '# mine'],
    [
      'other servers',
      'model = "gpt-5"   # keep\n\n[mcp_servers.other]\ncommand = "x"\nargs = [ "a",  "b" ]\n\n[projects."/home/x"]\ntrust_level = "trusted"\n',
    ],
    ['no line end', 'model = "gpt-5"'],
    ['Windows line ends', 'model = "a"\r\n\r\n[mcp_servers.other]\r\ncommand = "x"\r\n'],
    ['a table of servers', '[mcp_servers]\nother = { command = "x" }\n\n'],
    ['odd layout', '\tindented = 1\n   [a]   \n   b = """\nmany\n"""\n[[x]]\na=1'],
    ['a byte order mark', '\uFEFFmodel = "a"\n'],
  ])('keeps every byte of a file with %s', (_, before) => {
    const after = codex(before);
    expect(removedFrom(before, after)).toBe('');
    const wanted = parseToml(before.replace('\uFEFF', '')) as Record<string, object>;
    expect(parseToml(after.replace('\uFEFF', ''))).toEqual({
      ...wanted,
      mcp_servers: { ...wanted['mcp_servers'], workflowlookup: stdio },
    });
    expect(codex(after)).toBe(after);
  });

  test('updates a moved server, and keeps what a person added to it', () => {
    const before =
      '[mcp_servers.workflowlookup] # ours\ncommand = "old" # mine\nargs = ["x"]\nenabled = false\n\n[mcp_servers.workflowlookup.env]\nA = "b"\n\n# last\n[tui]\na   =    1\n';
    expect(codex(before, { command: 'node', args: ['y'] })).toBe(
      before.replace('"old"', '"node"').replace('["x"]', '["y"]'),
    );
  });

  test('adds missing values of an entry below its heading', () => {
    const before = '[mcp_servers."workflowlookup"] # ours\ncommand = "node"';
    expect(codex(before, { command: 'node', args: ['y'] })).toBe(
      '[mcp_servers."workflowlookup"] # ours\nargs = ["y"]\ncommand = "node"',
    );
  });

  test('replaces a server with another kind of connection, and only its table', () => {
    const before =
      'a = 1\n[mcp_servers.workflowlookup]\nurl = "http://x" # here\nbearer_token_env_var = "K"\n# between\n[mcp_servers.workflowlookup.http_headers]\nA = "b"\n\n# last\n[tui]\n';
    expect(codex(before, { command: 'node', args: ['y'] })).toBe(
      'a = 1\n# between\n\n# last\n[tui]\n\n[mcp_servers.workflowlookup]\ncommand = "node"\nargs = ["y"]\n',
    );
    expect(parseToml(codex(codex(''), http))).toEqual({
      mcp_servers: {
        workflowlookup: { url: 'https://flows.example.com/mcp', bearer_token_env_var: 'TEAM_KEY' },
      },
    });
  });

  test.each([
    ['a = 1\n[b\nc = 2\n', `config.toml:3:1: ${texts.notToml('')}`],
    [
      'a = 1\nmcp_servers = { other = { command = "x" } }\n',
      `config.toml:2:1: ${texts.unusualToml('mcp_servers')}`,
    ],
    ['mcp_servers.workflowlookup.command = "x"\n', `config.toml:1:1: ${texts.unusualToml('mcp_servers')}`],
    [
      '[mcp_servers]\nworkflowlookup = { command = "x" }\n',
      `config.toml:1:1: ${texts.unusualToml('mcp_servers')}`,
    ],
    ['[[mcp_servers]]\na = 1\n', `config.toml:1:1: ${texts.unusualToml('mcp_servers')}`],
    ['mcp_servers = 1\n', `config.toml:1:1: ${texts.unusualToml('mcp_servers')}`],
  ])('is refused for %j', (text, message) => {
    expect(() => codex(text)).toThrow(message);
  });
});

test.each(clientIds)(
  'A new file of %s contains the printed block, and does not change the second time',
  (id) => {
    const made = editConfig({ file: 'new', text: '' }, clients[id], stdio);
    expect(made.endsWith('\n')).toBe(true);
    expect(editConfig({ file: 'new', text: made }, clients[id], stdio)).toBe(made);
  },
);
