import { createHost } from '@workflowlookup/host';

/**
 * Runs a job with a host in this process that has only one folder of definitions and a state directory.
 *
 * @template T
 * @param {import('@workflowlookup/host').HostOptions & { readonly definitions?: string }} options
 *   without `definitions`, the bundled workflows
 * @param {(host: import('@workflowlookup/host').Host) => Promise<T>} job
 */
export async function withHost({ definitions, ...options }, job) {
  const host = createHost({
    includeUser: false,
    includeProject: false,
    ...(definitions !== undefined && { includeBundled: false, directories: [definitions] }),
    ...options,
  });
  try {
    return await job(host);
  } finally {
    await host.close();
  }
}
