import type { ReactNode } from 'react';
import { useMemo } from 'react';
import type { Run, WaitingGate } from '../contract.ts';
import { evidenceOf } from '../gates/evidence-of.ts';
import { GateCard } from '../gates/gate-card.tsx';
import { keyOf } from '../gates/settled.ts';
import { SettledNotice } from '../gates/settled-notice.tsx';
import { useSettled } from '../gates/use-settled.ts';

/** The checkpoint a run waits at, to be answered here too. */
export function RunGate({ run }: { readonly run: Run }): ReactNode {
  const gates = useMemo(() => gatesOf(run), [run]);
  const { waiting, settled, settle, forget } = useSettled(gates);
  return (
    <>
      {settled.map((one) => (
        <SettledNotice key={keyOf(one.gate)} settled={one} onClose={() => forget(one)} />
      ))}
      {waiting.map((gate) => (
        <GateCard key={keyOf(gate)} gate={gate} onSettled={settle} />
      ))}
    </>
  );
}

function gatesOf(run: Run): readonly WaitingGate[] {
  const { row, question } = run;
  return question === undefined ? [] : [{ run: row, question, evidence: evidenceOf(run) }];
}
