import { input } from './fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';
import { late } from './late.ts';

/** `health_check`: how the server is. */
export const healthCheck = defineTool<object>({
  name: 'health_check',
  title: 'Health of the server',
  description: 'Tells whether the server works and how much it serves. Use it when calls fail.',
  inputSchema: input({}, []),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'health_check', params: {} },
    response: {
      status: 'healthy',
      version: '1.0.0',
      workflows_available: 6,
      problems: 0,
      uptime_seconds: 12,
    },
  },
  async run({ sessions, identity }) {
    const { workflows, problems, untrusted, uptimeSeconds, store } = await sessions.health();
    return {
      json: {
        status: store?.ok === false ? 'degraded' : 'healthy',
        version: identity.version,
        workflows_available: workflows,
        problems,
        ...(await late()).untrustedInShort(untrusted),
        uptime_seconds: uptimeSeconds,
        ...(store !== undefined && { store }),
      },
    };
  },
});
