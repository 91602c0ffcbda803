import { exactly } from '../figures/result.mjs';
import { startBundled, withServers } from '../servers/servers.mjs';
import { countTokens } from '../figures/tokens.mjs';

export const name = 'tool-tokens';

/** Measures the tokens that the tools add to every conversation: the name, description and input schema of each. */
export async function run(bench) {
  return [
    rowOf('tools', await countsOf(startBundled(bench)), 3000),
    rowOf('lookup tools', await countsOf(startBundled(bench, ['--tools', 'lookup'])), 800),
  ];
}

async function countsOf(server) {
  const tools = await withServers({ server }, async () => {
    await server.open();
    return (await server.request('tools/list', {})).result.tools;
  });
  return Promise.all(tools.map(tokensOf));
}

function rowOf(kind, counts, below) {
  const value = counts.reduce((sum, [, tokens]) => sum + tokens, 0);
  return exactly(`${counts.length} ${kind}`, {
    unit: 'tokens',
    value,
    bound: `< ${below.toLocaleString('en')}`,
    holds: value < below,
    note: counts.map(([tool, tokens]) => `${tool} ${tokens}`).join(', '),
  });
}

async function tokensOf({ name: tool, description, inputSchema }) {
  return [tool, await countTokens(JSON.stringify({ name: tool, description, inputSchema }))];
}
