import type { Host, HostOptions } from '@workflowlookup/host';

/** A host that is wired when a request needs it. */
export interface LateHost {
  /** Loads it; called again it gives the same one. */
  open(): Promise<Host>;
  /** Closes what was opened; gives up after that time. */
  close(withinMs: number): Promise<void>;
}

/** Makes one. */
export function createLateHost(options: HostOptions): LateHost {
  let opening: Promise<Host> | undefined;
  return {
    open: () => (opening ??= import('@workflowlookup/host').then(({ createHost }) => createHost(options))),
    async close(withinMs) {
      const closed = opening?.then((host) => host.close());
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, withinMs).unref())]);
    },
  };
}
