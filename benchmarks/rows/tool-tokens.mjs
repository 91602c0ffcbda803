import { exactly } from '../result.mjs';
import { startBundled, withServers } from '../servers.mjs';
import { countTokens } from '../tokens.mjs';

export const name = 'tool-tokens';

/** What the tools cost in every conversation: name, description and input schema of each, as a model is shown them. */
export async function run(bench) {
  const tools = await withServers({ ours: startBundled(bench) }, async ({ ours }) => {
    await ours.open();
    return (await ours.request('tools/list', {})).result.tools;
  });
  const counts = await Promise.all(tools.map(tokensOf));
  const value = counts.reduce((sum, [, tokens]) => sum + tokens, 0);
  return [
    exactly(`tools/list, ${tools.length} lookup tools`, {
      unit: 'tokens',
      value,
      bound: '< 800',
      holds: value < 800,
      note: counts.map(([tool, tokens]) => `${tool} ${tokens}`).join(', '),
    }),
  ];
}

async function tokensOf({ name: tool, description, inputSchema }) {
  return [tool, await countTokens(JSON.stringify({ name: tool, description, inputSchema }))];
}
