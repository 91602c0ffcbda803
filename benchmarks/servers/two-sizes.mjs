import { join } from 'node:path';
import { writeDefinitions } from '../definitions/definitions.mjs';
import { startEcho, startOurs, withServers } from './servers.mjs';

/** Runs a job with three servers: ours with 10 and ours with 10,000 loaded definitions, and the echo server. */
export async function withFolders(bench, name, job) {
  const small = await writeDefinitions(join(bench.scratch, `${name}-10`), 10);
  const large = await writeDefinitions(join(bench.scratch, `${name}-10000`), 10_000);
  const servers = {
    few: startOurs(bench, small),
    many: startOurs(bench, large),
    baseline: startEcho(bench),
  };
  return withServers(servers, async ({ few, many, baseline }) => {
    for (const server of [few, many, baseline]) await server.open();
    for (const server of [few, many]) await server.tool('workflow_list', { limit: 1 });
    return job({ ...servers, small, large });
  });
}
