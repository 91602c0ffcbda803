import type { ReactNode } from 'react';
import { useMemo } from 'react';
import type { Run } from '../contract.ts';
import { GateCard } from '../gates/gate-card.tsx';
import type { OpenGate } from '../gates/settled.ts';
import { keyOf } from '../gates/settled.ts';
import { SettledNotice } from '../gates/settled-notice.tsx';
import { useSettled } from '../gates/use-settled.ts';

/** The checkpoint a run waits at, to be answered here too. */
export function RunGate({ run: { row, question } }: { readonly run: Run }): ReactNode {
  const gates = useMemo<readonly OpenGate[]>(
    () => (question === undefined ? [] : [{ run: row, question }]),
    [row, question],
  );
  const { settled, settle, forget } = useSettled(gates);
  const keys = new Set(settled.map(({ gate }) => keyOf(gate)));
  return (
    <>
      {settled.map((one) => (
        <SettledNotice key={keyOf(one.gate)} settled={one} onClose={() => forget(one)} />
      ))}
      {gates
        .filter((gate) => !keys.has(keyOf(gate)))
        .map((gate) => (
          <GateCard key={keyOf(gate)} gate={gate} onSettled={settle} />
        ))}
    </>
  );
}
