import { WorkflowError } from '@workflowlookup/schema';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** The moment that `30m`, `12h`, `7d`, `4w` ago or a date means; ISO 8601. @throws WorkflowError INVALID_PARAMS */
export function readAge(text: string, nowMs: number = Date.now()): string {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms =
    unit === undefined ? readDate(text) : nowMs - Number(count) * unitMs[unit as keyof typeof unitMs];
  if (!Number.isNaN(ms) && ms > -8.64e15) return new Date(ms).toISOString();
  throw new WorkflowError(
    'INVALID_PARAMS',
    `'${text}' is no age: write 30m, 12h, 7d, 4w, or a date such as 2026-03-01.`,
  );
}

function readDate(text: string): number {
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}
