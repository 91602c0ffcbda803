import { PassThrough } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/client';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, test } from 'vitest';
import { serveStdio } from '../../src/index.ts';
import { askTool } from '../support/ask-tool.ts';
import { servicesOver } from '../support/services.ts';

/** Starts a server on streams of this process, and returns a `Transport` for the clients of both SDK versions. */
function connectStreams() {
  const input = new PassThrough();
  const output = new PassThrough();
  const logged: string[] = [];
  const service = serveStdio({
    services: servicesOver(createMemoryStore([])),
    version: '1.2.3',
    input,
    output,
    log: (_level, event) => logged.push(event),
    tools: [askTool],
  });
  const transport: Transport = {
    start: () => {
      output.on('data', (chunk: Buffer) => {
        for (const line of chunk.toString('utf8').split('\n').filter(Boolean))
          transport.onmessage?.(JSON.parse(line) as never);
      });
      return Promise.resolve();
    },
    send: (message) => {
      input.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    close: async () => {
      input.end();
      await service.ended;
      transport.onclose?.();
    },
  };
  return { transport, logged };
}

const accepted = { action: 'accept' as const, content: { choice: 'merge' } };
const declined = { action: 'decline' as const };
const answers = [
  { answer: accepted, text: 'chosen: merge' },
  { answer: declined, text: 'chosen: nothing' },
];

describe.each(answers)('a user who chooses $answer.action', ({ answer, text }) => {
  test('answers through the SDK of version 1', async () => {
    const { transport, logged } = connectStreams();
    const client = new OlderClient({ name: 'older', version: '1' }, { capabilities: { elicitation: {} } });
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return answer;
    });
    await client.connect(transport);
    expect(await client.callTool({ name: 'ask_me', arguments: {} })).toMatchObject({ content: [{ text }] });
    expect(asked).toEqual(['Merge it?']);
    await client.close();
    expect(logged).toEqual([]);
  });

  test.each(['legacy', 'auto'] as const)(
    'answers through the SDK of version 2, opened as %s',
    async (mode) => {
      const { transport, logged } = connectStreams();
      const client = new ModernClient(
        { name: 'newer', version: '1' },
        { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
      );
      const asked: string[] = [];
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message);
        return answer;
      });
      await client.connect(transport);
      expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
      expect(await client.callTool({ name: 'ask_me', arguments: {} })).toMatchObject({ content: [{ text }] });
      expect(asked).toEqual(['Merge it?']);
      await client.close();
      expect(logged).toEqual([]);
    },
  );
});
