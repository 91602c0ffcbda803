// The worst that can be sent: each as costly as the limits on bytes, values and objects let it be.

const list = (length, of) => Array.from({ length }, (_, at) => of(at));

/** Many JSON Schemas, each small enough by itself. */
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
  steps: definitionWith(
    list(9000, (at) => step(at, { runCondition: { and: [{ var: `a${at}`, equals: 1 }] } })),
  ),
};

/** Requests of one principal: to the tools with a key, to the console with a session token. */
export function costlyRequests(key, token) {
  const tool = (what, toolName, given) => ({
    what,
    path: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': toolName,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: toolName,
        arguments: given,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'stall', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const page = (what, path, body) => ({
    what,
    path: `/console/api${path}`,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'sec-fetch-site': 'same-origin',
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const texts = Object.entries(definitions).map(([what, value]) => [what, JSON.stringify(value)]);
  return [
    ...texts.map(([what, text]) =>
      tool(`validate ${what}`, 'workflow_validate_json', { workflowJson: text }),
    ),
    ...texts.map(([what, text]) =>
      page(`walk ${what}`, '/walk', { workflowId: 'sent-flow', text, context: { x: 'ab'.repeat(1000) } }),
    ),
    page('judge 700 schemas', '/judge', { output: '{}', criteria: schemas(700, 40, 'j') }),
    page('judge large', '/judge', { output: '{}', criteria: schemas(700, 160, 'l') }),
    page('judge values', '/judge', `{"output":"a","criteria":[${'[],'.repeat(600_000)}1]}`),
    page('judge long', '/judge', {
      output: 'ab'.repeat(500_000),
      criteria: list(50, (at) => ({ ...pattern, pattern: `a|b${at}` })),
    }),
    tool('validate long', 'workflow_validate', {
      workflowId: 'costly',
      stepId: 'step-0',
      output: 'ab'.repeat(200_000),
    }),
    tool('validate JSON', 'workflow_validate', {
      workflowId: 'costly',
      stepId: 'step-1',
      output: `[${'{},'.repeat(90_000)}1]`,
    }),
    tool('next values', 'workflow_next', {
      workflowId: 'costly',
      completedSteps: [],
      context: { x: list(1_000_000, () => 0) },
    }),
    ...list(40, (at) =>
      tool('validate small', 'workflow_validate', {
        workflowId: 'costly',
        stepId: 'step-0',
        output: 'ab'.repeat(1500 + at),
      }),
    ),
    ...list(40, (at) =>
      tool('validate_json small', 'workflow_validate_json', {
        workflowJson: JSON.stringify(definitionWith([step(at, { validationCriteria: schemas(3, 3, at) })])),
      }),
    ),
  ];
}
