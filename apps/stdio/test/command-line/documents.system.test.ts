import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../support/built-app.ts';
import { showSession } from '../../../../scripts/support/demo-session.mjs';
import { buildApp, createSandbox, flagsOf, removeApp } from '../support/built-app.ts';
import { blocks, textOf } from '../../../../test/support/documents.ts';
import { openServer } from '../support/server-process.ts';

let entry: string;
let sandbox: Sandbox;

beforeAll(async () => {
  [entry, sandbox] = await Promise.all([buildApp(), createSandbox()]);
}, 60_000);

afterAll(async () => {
  await sandbox.dispose();
  await removeApp(entry);
});

describe('workflows in the documents', () => {
  const steps = blocks().filter(({ info }) => info === 'yaml workflow');
  const activities = blocks().filter(({ info }) => info === 'yaml activities');

  test('are served unchanged', async () => {
    expect([steps.length, activities.length]).toEqual([3, 1]);
    await Promise.all(steps.map(({ text }, index) => sandbox.write(`doc-${index}.yaml`, text)));
    for (const { text } of activities) {
      const [, id = ''] = /^id: (.+)$/m.exec(text) ?? [];
      await mkdir(join(sandbox.root, id));
      await sandbox.write(join(id, 'workflow.yaml'), text);
    }
    const server = await openServer({ entry, args: flagsOf(sandbox) });
    const { result } = await server.request('workflow_list');
    server.kill('SIGKILL');
    expect(result?.['problems']).toBeUndefined();
    expect(result?.['workflows']).toHaveLength(steps.length + activities.length + 1);
  });
});

interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

describe('the configuration blocks for a clone', () => {
  const placeholder = '/path/to/workflowlookup/apps/stdio/dist/main.js';
  const readers: Readonly<Record<string, (text: string) => readonly StartCommand[]>> = {
    json: (text) => commandsIn(JSON.parse(text)),
    toml: (text) => commandsIn(parseToml(text)),
    sh: (text) =>
      [...text.matchAll(/^claude mcp add \S+ -- (\S+) (.+)$/gm)].map(([, command = '', rest = '']) => ({
        command,
        args: rest.split(' '),
      })),
  };
  const commands = blocks()
    .filter(({ file, text }) => file === 'apps/stdio/README.md' && text.includes(placeholder))
    .flatMap(({ info, text }) => readers[info]?.(text) ?? []);

  test('are a command line and three files', () => expect(commands).toHaveLength(4));

  test.each(commands)('start a server that lists its tools: $command $args', async ({ command, args }) => {
    expect(command).toBe('node');
    const server = await openServer({ entry, args: args.filter((arg) => arg !== placeholder) });
    const { result } = await server.request('tools/list');
    server.kill('SIGKILL');
    expect(result?.['tools']).toHaveLength(24);
    expect(args).toContain(placeholder);
  });

  function commandsIn(config: unknown): readonly StartCommand[] {
    const {
      mcpServers,
      servers,
      mcp_servers: tables,
    } = config as Record<string, Record<string, StartCommand>>;
    return Object.values(mcpServers ?? servers ?? tables ?? {});
  }
});

describe('the recording in the README', () => {
  test('shows what the demo prints', async () => {
    const server = await openServer({ entry, args: ['--state', join(sandbox.root, 'state')] });
    const shown: string[] = [];
    await showSession(
      {
        async call(name: string, args: object) {
          const { result } = await server.request('tools/call', { name, arguments: args });
          const { content, isError = false } = result as {
            content: readonly [{ text: string }];
            isError?: boolean;
          };
          return { text: content[0].text, isError };
        },
      },
      (line: string) => shown.push(line),
    );
    server.kill('SIGKILL');
    const words = (text: string): string =>
      text
        .replaceAll(/\b[0-9a-f]{20}\b/g, 'SESSION')
        .replaceAll(/--state \S+/g, '--state STATE')
        .replaceAll(/\s+/g, ' ')
        .trim();
    const drawn = [...textOf('docs/images/demo.svg').matchAll(/<text [^>]*>(.*)<\/text>/g)]
      .map(([, line = '']) => line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
      .join(' ');
    expect(words(drawn)).toBe(words(shown.join(' ')));
  });
});
