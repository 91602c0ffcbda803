import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { Evidence, Json } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';

/** Evidence that a step asks for, with the variables of the session filled in. */
export interface EvidenceDemand {
  readonly evidence: Evidence;
  /** Of the evidence as it is filled in. Another digest is another demand. */
  readonly digest: string;
  /** Variables that it names and that have no value. It can't be collected before they have one. */
  readonly unset: readonly string[];
}

/** Fills in the variables of evidence. A variable with a list becomes several items where a list is expected. */
export function fillEvidence(evidence: Evidence, context: Context): EvidenceDemand {
  const unset = new Set<string>();
  const fill = (text: string): readonly string[] => {
    const whole = /^\{\{\s*([^{}]+?)\s*\}\}$/.exec(text)?.[1];
    const value = whole === undefined ? undefined : (lookUp(context, whole) as Json | undefined);
    if (Array.isArray(value)) {
      const texts = value.filter((one) => typeof one === 'string' && one.trim() !== '');
      if (texts.length === 0) unset.add(whole ?? '');
      return texts as readonly string[];
    }
    return [
      text.replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, name: string) => {
        const one = lookUp(context, name);
        if ((typeof one === 'string' && one.trim() !== '') || typeof one === 'number') return String(one);
        unset.add(name);
        return '';
      }),
    ];
  };
  const filled = filledWith(evidence, fill);
  return { evidence: filled, digest: digestOf(filled), unset: [...unset] };
}

function filledWith(evidence: Evidence, fill: (text: string) => readonly string[]): Evidence {
  const one = (text: string): string => fill(text).join(' ');
  if ('git' in evidence) {
    const { ahead_of: ref } = evidence.git;
    return ref === undefined ? evidence : { ...evidence, git: { ...evidence.git, ahead_of: one(ref) } };
  }
  if ('changes' in evidence) {
    const { within, since } = evidence.changes;
    return {
      ...evidence,
      changes: { within: within.flatMap(fill), ...(since === undefined ? {} : { since: one(since) }) },
    };
  }
  if (!('file' in evidence)) return evidence;
  return { ...evidence, file: { ...evidence.file, path: one(evidence.file.path) } };
}
