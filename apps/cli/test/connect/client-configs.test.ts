import { parse as parseToml } from 'smol-toml';
import { expect, test } from 'vitest';
import { blocks } from '../../../../test/support/documents.ts';
import { clientConfigs } from '../../src/connect/clients.ts';

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text) as unknown,
  toml: parseToml,
  sh: (text) => text.trim(),
};

test.each(clientConfigs({ command: 'node', args: ['/path/to/workflowlookup/apps/stdio/dist/main.js'] }))(
  'The README of stdio shows the block of $client',
  ({ language, text }) => {
    const shown = blocks(['apps/stdio/README.md']).filter(({ info }) => info === language);
    const read = readers[language] ?? String;
    expect(shown.map((block) => read(block.text))).toContainEqual(read(text));
  },
);

test('The configuration for a server at an address refers to its key, if the file of the client supports it', () => {
  const configs = clientConfigs({ url: 'https://flows.example.com/mcp', keyEnv: 'TEAM_KEY' });
  const read = configs.map(({ id, language, text }) => [id, readers[language]?.(text)]);
  const url = 'https://flows.example.com/mcp';
  expect(Object.fromEntries(read)).toEqual({
    'claude-code': `claude mcp add --transport http workflowlookup ${url} --header 'Authorization: Bearer \${TEAM_KEY}'`,
    vscode: {
      inputs: [
        { type: 'promptString', id: 'TEAM_KEY', description: 'API key of workflowlookup', password: true },
      ],
      servers: {
        workflowlookup: { type: 'http', url, headers: { Authorization: 'Bearer ${input:TEAM_KEY}' } },
      },
    },
    cursor: { mcpServers: { workflowlookup: { url, headers: { Authorization: 'Bearer ${env:TEAM_KEY}' } } } },
    codex: { mcp_servers: { workflowlookup: { url, bearer_token_env_var: 'TEAM_KEY' } } },
  });
});

test('The configuration for a server without keys refers to no key', () => {
  const configs = clientConfigs({ url: 'http://127.0.0.1:8420/mcp' });
  expect(configs.map(({ text }) => text).join('\n')).not.toMatch(/auth|bearer|input/i);
});
