import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DockerfileParser } from 'dockerfile-ast';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { environmentUsage } from '@workflowlookup/host/flags';
import { createLog } from '@workflowlookup/mcp';
import { listen } from '../../src/app.ts';
import { createService } from '../../src/create-service.ts';
import type { Listening } from '../../src/app.ts';
import type { ServeRequest } from '../../src/options.ts';
import { readOptions } from '../../src/options.ts';
import { bearer, openService } from '../support/service.ts';

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../${file}`, import.meta.url)), 'utf8');

/** Parses the arguments of the program. */
function served(words: readonly string[]): ServeRequest {
  const [serve, http, ...args] = words;
  expect([serve, http]).toEqual(['serve', 'http']);
  const request = readOptions(args, {});
  if (request.kind !== 'serve') throw new Error(`${words.join(' ')}: ${JSON.stringify(request)}`);
  return request;
}

describe('the Dockerfile', () => {
  const file = DockerfileParser.parse(read('Dockerfile'));
  /** Returns the arguments of the last instruction with this keyword. */
  const last = (keyword: string): readonly string[] => {
    const found = file.getInstructions().findLast((instruction) => instruction.getKeyword() === keyword);
    const text = found?.getArgumentsContent() ?? '';
    return text.startsWith('[') ? (JSON.parse(text) as readonly string[]) : text.split(' ');
  };

  test('runs as a user who is not root', () => expect(last('USER')).toEqual(['node']));

  test('copies the program from a separate build stage', () => {
    const [build] = file.getFROMs().map((from) => from.getBuildStage());
    expect(build).toBe('build');
    expect(file.getFROMs()).toHaveLength(2);
    expect(file.getCOPYs().at(-1)?.getFromFlag()?.getValue()).toBe(build);
  });

  test('starts a server that can be reached from outside and requires keys', () => {
    const { network } = served(last('CMD'));
    expect(network).toMatchObject({ address: '0.0.0.0', keys: true });
    expect(last('EXPOSE')).toEqual([String(network.port)]);
  });

  test('keeps the state of the server in its volume', () => {
    const properties = file.getENVs().flatMap((env) => env.getProperties());
    const state = properties.find((property) => property.getName() === 'WORKFLOWLOOKUP_STATE');
    expect(last('VOLUME')).toEqual([state?.getValue()]);
  });

  describe('the health check in the Dockerfile', () => {
    const { network } = served(last('CMD'));
    const [check] = /\[.*\]/.exec(read('Dockerfile').split('HEALTHCHECK')[1] ?? '') ?? [];
    const [, ...args] = JSON.parse(check ?? '[]') as readonly string[];
    let listening: Listening;
    let port: string;

    beforeAll(async () => {
      const log = createLog(() => undefined);
      const request = { ...served(last('CMD')), network: { ...network, address: '127.0.0.1', port: 0 } };
      listening = await listen(createService(request, { version: '1.2.3', log }), request.network);
      port = new URL(listening.url).port;
    });

    afterAll(() => listening.stop());

    const run = (): Promise<number> =>
      promisify(execFile)(
        process.execPath,
        args.map((arg) => arg.replace(`:${network.port}/`, `:${port}/`)),
      ).then(
        () => 0,
        ({ code }: { code: number }) => code,
      );

    test('exits with 0 while the server runs, and with 1 after it stopped', async () => {
      expect(await run()).toBe(0);
      await listening.stop();
      expect(await run()).toBe(1);
    });
  });
});

describe('compose.yaml', () => {
  interface Composed {
    readonly image?: string;
    readonly command?: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly ports?: readonly string[];
    readonly depends_on?: object;
    readonly stop_grace_period?: string;
    readonly networks?: { readonly default: { readonly ipv4_address: string } };
  }
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Composed>>;
  };
  const servers = Object.entries(services).filter(([, { image }]) => image === 'workflowlookup');

  test('has two servers', () => expect(servers).toHaveLength(2));

  test.each(servers)('runs %s with the database and the keys of the other servers', (_, server) => {
    const { network } = served(server.command ?? []);
    expect(network.keys).toBe(true);
    expect(Object.keys(server.environment)).toEqual(['WORKFLOWLOOKUP_DATABASE', 'WORKFLOWLOOKUP_KEYS']);
    for (const name of Object.keys(server.environment)) expect(environmentUsage).toContain(name);
    const database = server.environment['WORKFLOWLOOKUP_DATABASE'] ?? '';
    const { hostname } = new URL(database.replaceAll(/\$\{[^}]*\}/g, 'secret'));
    expect(Object.keys(services)).toContain(hostname);
    expect(Object.keys(server.depends_on ?? {})).toContain(hostname);
  });

  test.each(servers)('gives %s enough time to stop', (_, { command, stop_grace_period: grace }) => {
    const { network } = served(command ?? []);
    const { noticeMs, drainMs } = network;
    // To write to a slow database, to send traces, and to reach an anchor at an address.
    const writeMs = 22_000;
    expect(Number.parseInt(grace ?? '0', 10) * 1000).toBeGreaterThan(noticeMs + drainMs + writeMs);
  });

  test('has a balancer in front of them that can be reached only from this machine', () => {
    const { port } = served(servers[0]?.[1].command ?? []).network;
    const upstream = [...read('deploy/nginx.conf').matchAll(/^\s*server (\S+):(\d+)/gm)];
    expect(upstream.map(([, name]) => name)).toEqual(servers.map(([name]) => name));
    expect(new Set(upstream.map(([, , to]) => to))).toEqual(new Set([String(port)]));
    expect(services['balancer']?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(read('deploy/nginx.conf')).toContain(`listen ${port};`);
  });

  /** Returns the `X-Forwarded-For` header that nginx sends for a client that sent this value of it. */
  function forwardedFor(client: string, sent = ''): string {
    const [, value = ''] =
      /^\s*proxy_set_header X-Forwarded-For (\S+);/m.exec(read('deploy/nginx.conf')) ?? [];
    const variables: Readonly<Record<string, string>> = {
      $remote_addr: client,
      $proxy_add_x_forwarded_for: sent === '' ? client : `${sent}, ${client}`,
    };
    return variables[value] ?? '';
  }

  test('counts wrong keys by the real client address, whatever its headers say', async () => {
    const address = services['balancer']?.networks?.default.ipv4_address ?? '';
    const own = openService(...(servers[0]?.[1].command ?? []).slice(2), '--auth-failures', '3');
    const statusOf = async (client: string, headers: Record<string, string>, sent?: string) =>
      (
        await own.service.app.fetch(
          new Request('http://localhost:8420/metrics', {
            headers: { ...headers, 'x-forwarded-for': forwardedFor(client, sent) },
          }),
          address,
        )
      ).status;
    const wrong = (letter: string) => bearer(`wlk_${'0'.repeat(12)}_${letter.repeat(43)}`);
    const good = bearer(await own.key({ principal: 'ann', scopes: ['read'] }));
    const stale = wrong('a');
    const seventy = [];
    for (let at = 0; at < 70; at += 1) seventy.push(await statusOf('203.0.113.7', stale, `198.51.100.${at}`));
    expect([seventy[0], seventy.at(-1)]).toEqual([401, 429]);
    // Good keys are accepted from both clients, and the wrong keys of one client do not count against the other.
    expect(await statusOf('203.0.113.7', good)).toBe(200);
    expect(await statusOf('203.0.113.8', good)).toBe(200);
    expect(await statusOf('203.0.113.8', wrong('b'))).toBe(401);
  });
});
