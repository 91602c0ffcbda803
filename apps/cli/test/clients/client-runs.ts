import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HookClient } from '../../src/hooks/hook/events.ts';
import type { ModelCall, ScriptedModel } from './scripted-model.ts';

/** How to run a client, and the names of its tools. */
export interface RealClient {
  readonly id: HookClient;
  /** Writes the configuration of the client: the server, the model and its settings. */
  configure(place: Place): void;
  /** The program and its arguments for a prompt; `resume` continues the last session of the folder. */
  command(place: Place, prompt: string, resume: boolean): readonly string[];
  /** The program and its arguments for a person at a terminal; absent if no test types into it. */
  typed?(place: Place): readonly string[];
  /** A call of a tool of an MCP server. */
  mcp(server: string, tool: string, input: object): ModelCall;
  shell(command: string): ModelCall;
  write(file: string): ModelCall;
}

/** The folders of one test, and the port of the model. */
export interface Place {
  readonly packages: string;
  readonly project: string;
  readonly home: string;
  readonly state: string;
  readonly port: number;
  /** The command that starts the server. */
  readonly server: Command;
  /** The MCP servers of the client, by their names. */
  readonly servers: Readonly<Record<string, Command>>;
}

type Command = readonly [string, ...string[]];

/** Returns the servers as most clients configure them. */
function mcpServers({ servers }: Place): object {
  return Object.fromEntries(
    Object.entries(servers).map(([name, [command, ...args]]) => [name, { command, args }]),
  );
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const instructions = { content: 'text' };

export const claudeCode: RealClient = {
  id: 'claude-code',
  configure: (place) =>
    put(join(place.project, 'mcp.json'), JSON.stringify({ mcpServers: mcpServers(place) })),
  command: ({ packages, project, servers }, prompt, resume) => [
    join(packages, '@anthropic-ai', `claude-code-${process.platform}-${process.arch}`, 'claude'),
    '-p',
    ...(resume ? ['--continue'] : []),
    prompt,
    '--mcp-config',
    join(project, 'mcp.json'),
    '--allowedTools',
    ['Bash,Write,Edit', ...Object.keys(servers).map((name) => `mcp__${name}`)].join(','),
    '--output-format',
    'json',
  ],
  mcp: (server, tool, input) => ({ name: `mcp__${server}__${tool}`, input }),
  shell: (command) => ({ name: 'Bash', input: { command, description: 'Run it' } }),
  write: (file) => ({ name: 'Write', input: { file_path: file, ...instructions } }),
};

const plugin = fileURLToPath(new URL('../../../../examples/claude-code-plugin', import.meta.url));

/** Claude Code with the plugin from the examples, which runs the program by its name. */
export const claudePlugin: RealClient = {
  ...claudeCode,
  configure({ home, state, server: [node, entry = '', ...serve] }) {
    const file = join(home, 'bin', 'workflowlookup');
    const run = `exec ${node} ${entry}`;
    put(file, `#!/bin/sh\n[ "$1" = serve ] && ${run} ${serve.join(' ')}\n${run} "$@" --state ${state}\n`);
    chmodSync(file, 0o755);
  },
  command: ({ packages }, prompt) => [
    join(packages, '@anthropic-ai', `claude-code-${process.platform}-${process.arch}`, 'claude'),
    '-p',
    prompt,
    '--plugin-dir',
    plugin,
    '--allowedTools',
    'mcp__plugin_workflowlookup_workflowlookup',
  ],
  mcp: (_server, tool, input) => ({ name: `mcp__plugin_workflowlookup_workflowlookup__${tool}`, input }),
};

export const codex: RealClient = {
  id: 'codex',
  configure: ({ home, project, servers, port }) =>
    put(
      join(home, '.codex', 'config.toml'),
      [
        'model = "gpt-5"',
        'model_provider = "local"',
        'model_auto_compact_token_limit = 100000',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        'check_for_update_on_startup = false',
        '[model_providers.local]',
        'name = "local"',
        `base_url = "http://127.0.0.1:${port}/v1"`,
        'wire_api = "responses"',
        'env_key = "MODEL_KEY"',
        // Codex reads the hooks of a project only if its user trusts the project.
        `[projects.${JSON.stringify(project)}]`,
        'trust_level = "trusted"',
        ...Object.entries(servers).flatMap(([name, [command, ...args]]) => [
          `[mcp_servers.${name}]`,
          `command = ${JSON.stringify(command)}`,
          `args = ${JSON.stringify(args)}`,
        ]),
      ].join('\n'),
    ),
  command: ({ packages }, prompt, resume) => [
    process.execPath,
    join(packages, '@openai', 'codex', 'bin', 'codex.js'),
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-hook-trust',
    ...(resume ? ['resume', '--last'] : []),
    prompt,
  ],
  mcp: (server, tool, input) => ({ name: tool, namespace: `mcp__${server}`, input }),
  shell: (command) => ({ name: 'exec_command', input: { cmd: command } }),
  // Without a catalogue of models, Codex has no tool for patches. It applies them with a shell command.
  write: (file) => ({
    name: 'exec_command',
    input: { cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n+text\n*** End Patch\nEOF` },
  }),
};

export const gemini: RealClient = {
  id: 'gemini',
  configure(place) {
    const { home, project } = place;
    const settings = join(home, '.gemini', 'settings.json');
    const security = { auth: { selectedType: 'gemini-api-key' } };
    put(settings, JSON.stringify({ security, mcpServers: mcpServers(place) }));
    // With only "--skip-trust", Gemini CLI ignores the hooks of the project.
    put(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [project]: 'TRUST_FOLDER' }));
  },
  command: ({ packages }, prompt, resume) => [
    process.execPath,
    join(packages, '@google', 'gemini-cli', 'bundle', 'gemini.js'),
    '--yolo',
    ...(resume ? ['--resume', 'latest'] : []),
    '--prompt',
    prompt,
  ],
  typed: ({ packages }) => [
    process.execPath,
    join(packages, '@google', 'gemini-cli', 'bundle', 'gemini.js'),
    '--yolo',
  ],
  mcp: (server, tool, input) => ({ name: `mcp_${server}_${tool}`, input }),
  shell: (command) => ({ name: 'run_shell_command', input: { command } }),
  write: (file) => ({ name: 'write_file', input: { file_path: file, ...instructions } }),
};

export const opencode: RealClient = {
  id: 'opencode',
  configure: ({ project, servers, port }) =>
    put(
      join(project, 'opencode.json'),
      JSON.stringify({
        model: 'anthropic/claude-sonnet-4-5',
        provider: { anthropic: { options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none' } } },
        mcp: Object.fromEntries(
          Object.entries(servers).map(([name, command]) => [name, { type: 'local', command }]),
        ),
      }),
    ),
  command: ({ packages }, prompt, resume) => [
    join(packages, `opencode-${process.platform}-${process.arch}`, 'bin', 'opencode'),
    'run',
    ...(resume ? ['--continue'] : []),
    prompt,
  ],
  mcp: (server, tool, input) => ({ name: `${server}_${tool}`, input }),
  shell: (command) => ({ name: 'bash', input: { command, description: 'Run it' } }),
  write: (file) => ({ name: 'write', input: { filePath: file, ...instructions } }),
};

/** Returns the environment of a client, without settings of the current user and without real keys. */
function environment({ home, port }: Place): Record<string, string> {
  return {
    HOME: home,
    PATH: [join(home, 'bin'), process.env['PATH']].join(delimiter),
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
    MODEL_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
    GEMINI_API_KEY: 'none',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    // OpenCode installs packages for plugins into each project. Our plugin doesn't need them.
    NPM_CONFIG_OFFLINE: 'true',
  };
}

/** Opens folders for one test. Codex does not run hooks if its home is in the temporary folder. */
export function openPlace(
  entry: string,
  packages: string,
  { model, name = 'workflowlookup' }: { readonly model: ScriptedModel; readonly name?: string | undefined },
): Place & { close(): void } {
  const root = mkdtempSync(join(homedir(), '.workflowlookup-clients-'));
  const [project, home, state] = [join(root, 'project'), join(root, 'home'), join(root, 'state')];
  for (const folder of [project, home]) mkdirSync(folder);
  put(join(root, 'definitions', 'change', 'workflow.json'), JSON.stringify(workflow));
  put(join(root, 'definitions', 'prove', 'workflow.json'), JSON.stringify(proving));
  const definitions = ['--no-bundled', '--no-user', '--no-project', '--workflows', join(root, 'definitions')];
  const server: Command = [process.execPath, entry, 'serve', 'stdio', ...definitions, '--state', state];
  put(join(root, 'files-server.mjs'), filesServer);
  return {
    packages,
    project,
    home,
    state,
    port: model.port,
    server,
    servers: { [name]: server, files: [process.execPath, join(root, 'files-server.mjs')] },
    close: () => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  };
}

/** Installs the hooks of a client as its user does. */
export function installHooks(entry: string, { id }: RealClient, { project, home, state }: Place): void {
  const args = [entry, 'hooks', 'install', id, '--yes', '--state', state];
  execFileSync(process.execPath, args, {
    cwd: project,
    env: { HOME: home, PATH: process.env['PATH'] },
    stdio: 'pipe',
  });
}

/** Runs a client to its end, and returns what it printed. Claude Code can get several prompts in one run. */
export function runClient(
  client: RealClient,
  place: Place,
  { prompt = 'Do it', resume = false, prompts = [] as readonly string[] } = {},
): Promise<string> {
  const [program = '', ...args] = client.command(place, prompt, resume);
  const streaming = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  return new Promise((resolve) => {
    const child = spawn(program, prompts.length === 0 ? args : [...args, ...streaming], {
      cwd: place.project,
      env: environment(place),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const rest = [...prompts];
    const say = (): void => {
      const content = rest.shift();
      if (content === undefined) child.stdin.end();
      else child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
    };
    say();
    child.stdout.on('data', (part) => {
      output += String(part);
      if (String(part).includes('"type":"result"')) say();
    });
    child.stderr.on('data', (part) => (output += String(part)));
    const timer = setTimeout(() => {
      output += '\n(stopped after 90 seconds)';
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, 90_000);
    child.on('close', () => {
      clearTimeout(timer);
      resolve(output);
    });
  });
}

/** A text that a person types at a terminal. */
export interface Typing {
  /** The text to type, without the final Enter. */
  readonly text: string;
  /** Returns whether to type now. Gets what the client has shown since the last text was typed. */
  when(shown: string): boolean;
}

interface Terminal {
  readonly pid: number;
  onData(listener: (part: string) => void): void;
  write(text: string): void;
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * Starts a client at a terminal, types the texts and waits until `end` returns true. Returns the output of the client.
 */
export async function typeInto(
  client: RealClient,
  place: Place,
  { typing, end }: { readonly typing: readonly Typing[]; readonly end: () => boolean },
): Promise<string> {
  const [program = '', ...args] = client.typed?.(place) ?? [];
  // Gemini CLI depends on this package.
  const pty = createRequire(join(place.packages, 'package.json'))('@lydell/node-pty') as {
    spawn(program: string, args: readonly string[], options: object): Terminal;
  };
  const env = { ...environment(place), TERM: 'xterm-256color' };
  const terminal = pty.spawn(program, args, { cwd: place.project, env, cols: 120, rows: 40 });
  const untilMs = Date.now() + 150_000;
  let [screen, typedAt] = ['', 0];
  terminal.onData((part) => {
    screen += part;
    // Answers the queries of a program for the position of the cursor and the features of the terminal.
    if (part.includes('\u001B[6n')) terminal.write('\u001B[1;1R');
    if (part.includes('\u001B[c')) terminal.write('\u001B[?62;c');
  });
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds() && Date.now() < untilMs) await pause(100);
  };
  try {
    for (const { text, when } of typing) {
      await until(() => when(screen.slice(typedAt)));
      // Type slowly: a client takes fast input for a paste, and is not ready as soon as it shows its prompt.
      await pause(1500);
      for (const character of text) {
        terminal.write(character);
        await pause(30);
      }
      await pause(1500);
      typedAt = screen.length;
      terminal.write('\r');
    }
    await until(end);
  } finally {
    process.kill(-terminal.pid, 'SIGKILL');
  }
  return screen;
}

/** An MCP server with a tool that writes a file. */
const filesServer = `import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
const tools = [{ name: 'write_file', description: 'Writes a file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }];
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const reply = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  if (method === 'initialize') reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'files', version: '1.0.0' } });
  else if (method === 'tools/list') reply({ tools });
  else if (method === 'tools/call') {
    writeFileSync(params.arguments.path, 'text');
    reply({ content: [{ type: 'text', text: 'written' }] });
  } else reply({});
}
`;

const evidence = [{ id: 'tests', check: 'test', level: 'observed' }];

const proving = {
  id: 'prove',
  version: '1.0.0',
  title: 'Prove',
  enforcement: 'strict',
  initialActivity: 'test',
  activities: [{ id: 'test', version: '1.0.0', name: 'Test it', steps: [{ id: 'test-it', evidence }] }],
};

const workflow = {
  id: 'change',
  version: '1.0.0',
  title: 'Change',
  initialActivity: 'look',
  activities: [
    {
      id: 'look',
      version: '1.0.0',
      name: 'Look at it',
      allows: ['shell'],
      steps: [{ id: 'look-at-it' }],
      transitions: [{ to: 'change' }],
    },
    { id: 'change', version: '1.0.0', name: 'Change it', steps: [{ id: 'change-it' }] },
  ],
};
