import type { AuditEntry, AuditLog } from '@workflowlookup/host';
import { tools } from '@workflowlookup/mcp';
import type { BegunCall, CallWatchers, FinishedCall } from '@workflowlookup/mcp/http';
import type { Telemetry } from './telemetry/telemetry.ts';

/** Tools that change nothing. */
const reading: ReadonlySet<string> = new Set(
  tools.flatMap(({ name, annotations }) => (annotations.readOnlyHint ? [name] : [])),
);

/** What stands around each call of a tool: where it is traced, and where it is recorded who made it. */
export function aroundCallOf(
  audit: AuditLog,
  telemetry: Telemetry | undefined,
): Pick<CallWatchers, 'aroundCall'> {
  const traced = telemetry?.aroundCall;
  if (!audit.isOn) return traced === undefined ? {} : { aroundCall: traced };

  const recorded = ({ tool }: BegunCall, run: () => Promise<FinishedCall>): Promise<FinishedCall> =>
    audit.within({ via: tool }, async () => {
      const finished = await run();
      audit.record({ action: reading.has(tool) ? 'read' : 'call', ...outcomeOfCall(finished) });
      return finished;
    });
  return {
    aroundCall: traced === undefined ? recorded : (call, run) => traced(call, () => recorded(call, run)),
  };
}

function outcomeOfCall({ code }: FinishedCall): Pick<AuditEntry, 'outcome' | 'code'> {
  if (code === undefined) return { outcome: 'done' };
  return { outcome: code === 'INTERNAL' || code === 'STORAGE' ? 'failed' : 'refused', code };
}
