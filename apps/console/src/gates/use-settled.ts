import { useCallback, useEffect, useRef, useState } from 'react';
import type { WaitingGate } from '../contract.ts';
import type { Settled } from './settled.ts';
import { keyOf } from './settled.ts';

/**
 * Which checkpoints wait, and which stopped waiting while the page is open; also those that others answered. With
 * `hasMore` there are older ones that are not among them.
 */
export function useSettled(
  gates: readonly WaitingGate[],
  hasMore = false,
): {
  readonly waiting: readonly WaitingGate[];
  /** Newest first. */
  readonly settled: readonly Settled[];
  readonly settle: (one: Settled) => void;
  readonly forget: (one: Settled) => void;
} {
  const [settled, setSettled] = useState<readonly Settled[]>([]);
  const before = useRef<readonly WaitingGate[]>([]);
  const settle = useCallback((one: Settled) => {
    setSettled((all) => (all.some(({ gate }) => keyOf(gate) === keyOf(one.gate)) ? all : [one, ...all]));
  }, []);
  useEffect(() => {
    const waiting = new Set(gates.map(keyOf));
    const gone = before.current.filter(
      (gate) => !waiting.has(keyOf(gate)) && !(hasMore && isBelow(gate, gates)),
    );
    before.current = gates;
    for (const gate of gone)
      settle({ gate, how: 'elsewhere', text: 'It no longer waits: it was answered or ended elsewhere.' });
  }, [gates, hasMore, settle]);
  const forget = useCallback((one: Settled) => setSettled((all) => all.filter((other) => other !== one)), []);
  const keys = new Set(settled.map(({ gate }) => keyOf(gate)));
  return { waiting: gates.filter((gate) => !keys.has(keyOf(gate))), settled, settle, forget };
}

/** Whether a list of the newest would not have it, though it waits. */
function isBelow({ run }: WaitingGate, listed: readonly WaitingGate[]): boolean {
  const last = listed.at(-1);
  return last !== undefined && run.updatedAt <= last.run.updatedAt;
}
