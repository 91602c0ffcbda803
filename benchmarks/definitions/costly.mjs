// The most expensive requests that the limits on bytes, values and objects allow.

const list = (length, of) => Array.from({ length }, (_, at) => of(at));

/** Returns many JSON Schemas, each of which is within the limits. */
const schemas = (count, properties, salt) =>
  list(count, (at) => ({
    type: 'schema',
    message: 'm',
    schema: {
      properties: Object.fromEntries(list(properties, (n) => [`p${salt}-${at}-${n}`, { minLength: n }])),
    },
  }));

const pattern = { type: 'regex', message: 'm', pattern: '(a|b|ab)*c{1,40}(x|y)*z' };

const definitionWith = (steps) => ({
  id: 'sent-flow',
  name: 'Sent',
  description: 'Costs much.',
  version: '1.0.0',
  steps,
});
const step = (at, rest = {}) => ({ id: `step-${at}`, title: 'T', prompt: 'P', ...rest });

/** A served definition whose criteria and conditions are costly for long outputs. */
export const costlyDefinition = {
  ...definitionWith([
    step(0, {
      validationCriteria: [
        pattern,
        ...list(20, (at) => ({ ...pattern, pattern: `${pattern.pattern}${at}` })),
      ],
    }),
    step(1, { validationCriteria: schemas(20, 10, 'served') }),
  ]),
  id: 'costly',
};

/** A served definition with many steps, each of which can be submitted. */
export const longDefinition = { ...definitionWith(list(1000, (at) => step(at))), id: 'long' };

const definitions = {
  schemas: definitionWith([step(0, { validationCriteria: schemas(250, 40, 'd') })]),
  patterns: definitionWith(
    list(200, (at) => step(at, { validationCriteria: `${'\\pL|'.repeat(800)}${at}` })),
  ),
  conditions: definitionWith(
    list(200, (at) => step(at, { runCondition: { var: 'x', matches: `${'[^\\pL\\pN]'.repeat(300)}${at}` } })),
  ),
  names: {
    ...definitionWith(list(3000, (at) => step(at, { prompt: `{{namf${at}}} {{nabe${at}}}` }))),
    variables: list(9000, (at) => ({ name: `name${at}`, type: 'string', description: 'd' })),
  },
  strange: definitionWith(list(6000, (at) => ({ ...step(at), promt: 'x', [`k${at}`]: 1 }))),
  texts: definitionWith(list(120, (at) => step(at, { prompt: 'some {{words}} and `code`\n'.repeat(320) }))),
  deep: definitionWith([step(0, { 'x-deep': JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) })]),
  steps: definitionWith(
    list(9000, (at) => step(at, { runCondition: { and: [{ var: `a${at}`, equals: 1 }] } })),
  ),
};

/** Returns the requests of one principal by kind: tool calls with an API key, and console requests with a sign-in. */
export async function costlyRequests(origin, key) {
  const token = await signedIn(origin, key);
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const mcp = { ...json, authorization: `Bearer ${key}` };
  const session = await openSession(origin, mcp, '2025-11-25');
  const batches = await openSession(origin, mcp, '2025-03-26');
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'stall', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const modern = (name) => ({
    ...mcp,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  });
  const tool = (what, name, given) => ({
    what,
    path: '/mcp',
    headers: modern(name),
    body: JSON.stringify(rpc('tools/call', { name, arguments: given, _meta: meta })),
  });
  const direct = (what, method, params) => ({
    what,
    path: '/mcp',
    headers: session,
    body: JSON.stringify(rpc(method, params)),
  });
  const page = (what, path, body) => ({
    what,
    path: `/console/api${path}`,
    headers: { ...json, authorization: `Bearer ${token}`, 'sec-fetch-site': 'same-origin' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return {
    ...lookupRequests({ tool, direct, page }),
    ...sessionRequests(origin, { session, batches, direct }),
  };
}

/** Returns the requests about definitions, criteria and values. */
function lookupRequests({ tool, direct, page }) {
  const texts = Object.entries(definitions).map(([what, value]) => [what, JSON.stringify(value)]);

  return {
    definitions: inTurn([
      ...texts.map(([what, text]) =>
        tool(`validate ${what}`, 'workflow_validate_json', { workflowJson: text }),
      ),
      ...texts.map(([what, text]) =>
        page(`walk ${what}`, '/walk', { workflowId: 'sent-flow', text, context: { x: 'ab'.repeat(1000) } }),
      ),
      ...list(40, (at) =>
        tool('validate small', 'workflow_validate_json', {
          workflowJson: JSON.stringify(definitionWith([step(at, { validationCriteria: schemas(3, 3, at) })])),
        }),
      ),
    ]),
    'regular expressions': inTurn([
      page('judge long', '/judge', {
        output: 'ab'.repeat(500_000),
        criteria: list(50, (at) => ({ ...pattern, pattern: `a|b${at}` })),
      }),
      tool('validate long', 'workflow_validate', {
        workflowId: 'costly',
        stepId: 'step-0',
        output: 'ab'.repeat(200_000),
      }),
      ...list(40, (at) =>
        tool('validate small', 'workflow_validate', {
          workflowId: 'costly',
          stepId: 'step-0',
          output: 'ab'.repeat(1500 + at),
        }),
      ),
    ]),
    'JSON Schemas': inTurn([
      page('judge 700', '/judge', { output: '{}', criteria: schemas(700, 40, 'j') }),
      page('judge large', '/judge', { output: '{}', criteria: schemas(700, 160, 'l') }),
      page('judge values', '/judge', `{"output":"a","criteria":[${'[],'.repeat(600_000)}1]}`),
      tool('validate', 'workflow_validate', {
        workflowId: 'costly',
        stepId: 'step-1',
        output: `[${'{},'.repeat(90_000)}1]`,
      }),
    ]),
    values: inTurn([
      direct('next list', 'workflow_next', {
        workflowId: 'costly',
        completedSteps: list(19_500, (at) => `step-${at}`),
      }),
      direct('next names', 'workflow_next', {
        workflowId: 'costly',
        completedSteps: [],
        context: Object.fromEntries(list(19_500, (at) => [`name${at}`, at])),
      }),
      direct('too many', 'workflow_next', {
        workflowId: 'costly',
        completedSteps: [],
        context: { x: list(1_000_000, () => 0) },
      }),
      direct('unknown names', 'workflow_list', Object.fromEntries(list(19_500, (at) => [`name${at}`, at]))),
      direct('long text', 'ping', { text: 'x'.repeat(9_500_000) }),
    ]),
  };
}

/** Returns the requests that start and advance sessions. */
function sessionRequests(origin, { session, batches, direct }) {
  /** Starts a session at its first step, for one move with a large body. */
  const started = async () => {
    const first = await send(origin, session, rpc('start_session', { agent_id: 'a', workflow_id: 'long' }));
    const entered = await send(origin, session, rpc('next_activity', { session_token: first.session_token }));
    return entered.session_token;
  };
  const moves = [
    ['one output', () => ({ step_manifest: [{ step_id: 'step-0', output: salted(8_500_000) }] })],
    ['longest output', () => ({ step_manifest: [{ step_id: 'step-0', output: salted(2_000_000) }] })],
    [
      'many outputs',
      () => ({ step_manifest: list(1000, (at) => ({ step_id: `step-${at}`, output: salted(8_500) })) }),
    ],
    [
      'many variables',
      () => ({ variables: Object.fromEntries(list(1000, (at) => [`v${at}`, salted(1000)])) }),
    ],
    ['one large variable', () => ({ variables: { large: salted(8_500_000) } })],
  ];

  return {
    'moves of sessions': rounds(moves, async ([what, given]) =>
      direct(what, 'next_activity', { session_token: await started(), ...given() }),
    ),
    batches: rounds([80_000, 8_000, 0], async (length) => {
      const tokens = length === 0 ? [] : await inOrder(list(100, () => started));
      const calls = list(100, (id) =>
        length === 0
          ? rpc('start_session', { agent_id: 'a', workflow_id: 'long' }, id)
          : rpc(
              'next_activity',
              { session_token: tokens[id], step_manifest: [{ step_id: 'step-0', output: salted(length) }] },
              id,
            ),
      );
      return { what: `of ${length}`, path: '/mcp', headers: batches, body: JSON.stringify(calls) };
    }),
  };
}

let salts = 0;

/** Returns a new text of about this length. No other request has the same text. */
const salted = (length) => `${(salts += 1)} ${'some words, "quoted"\n'.repeat(length / 22)}`;

const rpc = (method, params, id = 1) => ({ jsonrpc: '2.0', id, method, params });

const inTurn = (requests) => rounds(requests, async (request) => request);

/** Returns a function that makes a request from the next item at each call, and starts again after the last one. */
function rounds(all, make) {
  let at = 0;
  return () => make(all[at++ % all.length]);
}

async function inOrder(tasks) {
  const results = [];
  for (const task of tasks) results.push(await task());
  return results;
}

async function signedIn(origin, key) {
  const response = await fetch(`${origin}/console/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ key }),
  });
  return (await response.json()).token;
}

async function openSession(origin, headers, protocolVersion) {
  const body = JSON.stringify(rpc('initialize', { protocolVersion, capabilities: {} }));
  const response = await fetch(`${origin}/mcp`, { method: 'POST', headers, body });
  await response.text();
  return { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') };
}

async function send(origin, headers, message) {
  const response = await fetch(`${origin}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
  return (await response.json()).result ?? {};
}
