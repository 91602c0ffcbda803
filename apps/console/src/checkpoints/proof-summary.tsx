import type { ReactNode } from 'react';
import { Tag } from '../components/tags.tsx';
import type { Evidence } from '../contract/index.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import { CommandLine } from './collected-evidence.tsx';
import { proofOf } from './proof.ts';
import type { ProvedEvidence } from './proof.ts';

const { proof: messages } = checkpointMessages;

/** Renders in one line what is proved and what is only claimed, beside the options that it is about. */
export function ProofSummary({ evidence }: { readonly evidence: Evidence }): ReactNode {
  const { proved, notProved, claimed, outputs } = proofOf(evidence);
  const claims = [...claimed, ...(outputs === 0 ? [] : [messages.outputs(outputs)])];
  return (
    <p className="proof small" role="group" aria-label={messages.title}>
      <span>
        {proved.length === 0 ? (
          <Tag tone="skipped">{messages.nothing}</Tag>
        ) : (
          <>
            <Tag tone="done">{messages.proved}</Tag> <EvidenceNames evidence={proved} />
          </>
        )}
      </span>
      {notProved.length > 0 && (
        <span>
          <Tag tone="waits">{messages.notProved}</Tag> <EvidenceNames evidence={notProved} />
        </span>
      )}
      {claims.length > 0 && (
        <span>
          <Tag tone="skipped">{messages.claimed}</Tag> {claims.join(', ')}
        </span>
      )}
    </p>
  );
}

/** Renders the ids of evidence, each with the command that the server ran. */
function EvidenceNames({ evidence }: { readonly evidence: readonly ProvedEvidence[] }): ReactNode {
  return evidence.map(({ id, command }) => (
    <span key={id} className="proof-name">
      {id} {command !== undefined && <CommandLine command={command} />}
    </span>
  ));
}
