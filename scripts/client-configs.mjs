// How each client is told to start the server: one entry for each, with where it goes and what goes there.

/** The blocks for a server that is started by this command. */
export function clientConfigs({ command, args }) {
  const server = { command, args };
  const quoted = [command, ...args].map(quote).join(' ');
  return [
    {
      client: 'Claude Code',
      where: 'run',
      language: 'sh',
      text: `claude mcp add workflowlookup -- ${quoted}`,
    },
    {
      client: 'Claude Desktop',
      where: 'claude_desktop_config.json',
      language: 'json',
      text: json({ mcpServers: { workflowlookup: server } }),
    },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      language: 'json',
      text: json({ servers: { workflowlookup: { type: 'stdio', ...server } } }),
    },
    {
      client: 'Cursor',
      where: '.cursor/mcp.json',
      language: 'json',
      text: json({ mcpServers: { workflowlookup: server } }),
    },
    {
      client: 'Codex',
      where: '~/.codex/config.toml',
      language: 'toml',
      // A JSON string is a TOML basic string, and an array of them a TOML array.
      text: `[mcp_servers.workflowlookup]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
    },
  ];
}

function json(value) {
  return JSON.stringify(value, null, 2);
}

function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
