import type { CallKind } from './call-kind.ts';

/** A call as the trace keeps it. */
export interface TraceEvent {
  /** The session. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly name: CallKind;
  /** ISO 8601. */
  readonly ts: string;
  /** How long it took. */
  readonly ms: number;
  readonly s: 'ok' | 'error';
  /** Workflow, and activity before the call; `''` before the first. */
  readonly wf: string;
  readonly act: string;
  readonly aid: string;
  /** The error: its code and message. */
  readonly err?: string;
  /** Validation warnings. */
  readonly vw?: readonly string[];
  /** Session of the parent. */
  readonly psid?: string;
  /** Revision of the session before the call. */
  readonly rev: number;
}

/** What a trace shows. */
export interface TraceReading {
  readonly source: 'store' | 'tokens';
  /** Of all there are; the newest 1,000 are shown. */
  readonly eventCount: number;
  /** Oldest first. */
  readonly events: readonly TraceEvent[];
  /** Tokens that name no segment of this session. */
  readonly tokenErrors?: readonly string[];
}
