import { servicesOver } from '../support/services.ts';
import { createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, test } from 'vitest';
import { messages } from '../../src/messages.ts';
import { activityFlow, reviewFlow, workflow } from '../support/flow.ts';
import type { Session } from '../support/streams.ts';
import { serve } from '../support/streams.ts';

async function openSession(count = 0): Promise<Session> {
  const more = Array.from({ length: count }, (_, index) =>
    workflow({ ...reviewFlow.definition, id: `flow-${String(index).padStart(4, '0')}` }),
  );
  const session = serve([reviewFlow, ...more]);
  await session.open();
  return session;
}

describe('resources', () => {
  test('are each workflow and each JSON Schema, readable by their URI', async () => {
    const session = await openSession();
    const { result } = await session.request('resources/list');
    const listed = result?.['resources'] as { uri: string }[];
    expect(listed.map(({ uri }) => uri)).toEqual([
      'workflow-schema://step-workflow',
      'workflow-schema://activity-workflow',
      'workflow-schema://activity',
      'workflow-schema://skill',
      'workflow-schema://resource',
      'workflow-schema://workflow-test',
      'workflow-schema://checks',
      'workflow://review-flow',
    ]);
    for (const { uri } of listed) {
      const read = await session.request('resources/read', { uri });
      expect(read.result).toMatchObject({ contents: [{ uri, mimeType: expect.stringContaining('json') }] });
    }
    const { result: templates } = await session.request('resources/templates/list');
    const uris = ((templates?.['resourceTemplates'] ?? []) as { uriTemplate: string }[]).map(
      ({ uriTemplate }) => uriTemplate,
    );
    expect(uris).toEqual(expect.arrayContaining(['workflow://{id}', 'workflow-schema://{name}']));
  });

  test.each([
    'workflow://nope-nope',
    'workflow-schema://nope',
    'workflow://..%2F..%2Fetc%2Fpasswd',
    'file:///etc/passwd',
  ])('do not include %s', async (uri) => {
    const session = await openSession();
    const { error } = await session.request('resources/read', { uri });
    expect([-32002, -32602]).toContain(error?.code);
  });

  test('are returned in pages', async () => {
    const session = await openSession(450);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await session.request('resources/list', cursor === undefined ? {} : { cursor });
      seen.push(...((result?.['resources'] ?? []) as { uri: string }[]).map(({ uri }) => uri));
      cursor = result?.['nextCursor'] as string | undefined;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(458);
    expect(new Set(seen).size).toBe(458);
    expect((await session.request('resources/list', { cursor: 'zzz' })).error?.code).toBe(-32602);
  });

  test('cause notifications when they change: lists for everybody, single resources for subscribers', async () => {
    const store = createMemoryStore([reviewFlow]);
    const session = serve([], { services: servicesOver(store) });
    await session.open();
    await session.request('resources/subscribe', { uri: 'workflow://review-flow' });
    store.set(workflow({ ...reviewFlow.definition, name: 'Renamed' }));
    store.set(workflow({ ...reviewFlow.definition, id: 'other-flow' }));
    await session.request('tools/list');
    await session.end();
    const methods = session.messages.filter(({ method }) => method !== undefined);
    const updated = methods.filter(({ method }) => method === 'notifications/resources/updated');
    expect(updated).toMatchObject([{ params: { uri: 'workflow://review-flow' } }]);
    expect(methods.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['notifications/resources/list_changed', 'notifications/prompts/list_changed']),
    );
  });
});

describe('prompts', () => {
  test('are the workflows, with their variables as arguments', async () => {
    const session = await openSession();
    expect((await session.request('prompts/list')).result).toMatchObject({
      prompts: [
        {
          name: 'review-flow',
          title: 'Review',
          arguments: [
            { name: 'depth', description: 'How deep to look', required: true },
            { name: 'urgent', required: false },
          ],
        },
      ],
    });
    const { result } = await session.request('prompts/get', {
      name: 'review-flow',
      arguments: { depth: 'full' },
    });
    expect(JSON.stringify(result)).toContain('workflow_next');
    expect(JSON.stringify(result)).toContain('depth');
  });

  test.each([
    { params: { name: 'review-flow' }, details: messages.fieldRequired('depth') },
    {
      params: { name: 'review-flow', arguments: { depth: 'full', colour: 'red' } },
      details: messages.unknownPromptArgument('colour'),
    },
    { params: { name: 'nope-nope' }, details: 'nope-nope' },
  ])('are refused for $params', async ({ params, details }) => {
    const session = await openSession();
    const { error } = await session.request('prompts/get', params);
    expect(error).toMatchObject({ code: -32602, data: { details: expect.stringContaining(details) } });
  });
});

test('Completion knows ids and the two values of a boolean', async () => {
  const session = await openSession(3);
  const complete = async (ref: object, argument: object) =>
    (await session.request('completion/complete', { ref, argument })).result?.['completion'];
  const template = { type: 'ref/resource', uri: 'workflow://{id}' };
  expect(await complete(template, { name: 'id', value: 'flow-' })).toMatchObject({
    values: ['flow-0000', 'flow-0001', 'flow-0002'],
    total: 3,
    hasMore: false,
  });
  expect(await complete(template, { name: 'id', value: 'x' })).toMatchObject({ values: [] });
  const prompt = { type: 'ref/prompt', name: 'review-flow' };
  expect(await complete(prompt, { name: 'urgent', value: 't' })).toMatchObject({ values: ['true'] });
  expect(await complete(prompt, { name: 'depth', value: '' })).toMatchObject({ values: [] });
});

describe('an activity workflow', () => {
  const open = async (): Promise<Session> => {
    const session = serve([activityFlow('cider'), activityFlow('meta')]);
    await session.open();
    return session;
  };
  const namesIn = (list: unknown): readonly string[] => (list as { name: string }[]).map(({ name }) => name);

  test('is listed, except for meta', async () => {
    const session = await open();
    const { result: prompts } = await session.request('prompts/list');
    expect(prompts).toMatchObject({
      prompts: [{ name: 'cider', title: 'Title of cider', arguments: [{ name: 'goal', required: false }] }],
    });
    const { result: resources } = await session.request('resources/list');
    expect(namesIn(resources?.['resources'])).toContain('cider');
    expect(namesIn(resources?.['resources'])).not.toContain('meta');
  });

  test.each(['cider', 'meta'])('can be read completely as a resource: %s', async (id) => {
    const session = await open();
    const { result } = await session.request('resources/read', { uri: `workflow://${id}` });
    const contents = (result?.['contents'] ?? []) as { text: string }[];
    expect(JSON.parse(contents[0]?.text ?? '')).toMatchObject({ id, activities: [{ id: 'start' }] });
  });

  test('can be followed by its prompt', async () => {
    const session = await open();
    const params = { name: 'cider', arguments: { goal: 'a full cask' } };
    const { result } = await session.request('prompts/get', params);
    expect(JSON.stringify(result)).toContain("'Title of cider'");
    expect(JSON.stringify(result)).toContain('a full cask');
  });
});
