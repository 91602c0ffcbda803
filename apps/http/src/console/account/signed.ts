import type { Host, Scope } from '@workflowlookup/host';
import type { Operator } from '@workflowlookup/core';
import type { SignedIn } from '@workflowlookup/console/contract';

/** Somebody who signed in. */
export interface Signed {
  /** Names the sign-in, so that it can be ended. */
  readonly id: string;
  readonly way: 'secret' | 'key' | 'oauth';
  readonly principal: string;
  /** The name answers carry. */
  readonly person: string;
  /** As `/mcp` names it: the same credential is the same caller, whichever way it comes. */
  readonly credential?: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Id of the API key they signed in by. */
  readonly key?: string;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

/** The one user of this machine: they have the command line, which sees everything too. */
export const localPrincipal = 'local';

/** Whether runs of all principals are shown: to the user of this machine, never to a credential. */
export function seesAll({ way }: Signed): boolean {
  return way === 'secret';
}

/** What somebody can do with the sessions they may see. */
export function operatorFor(host: Pick<Host, 'operatorOf'>, signed: Signed): Operator {
  const { person, principal, credential } = signed;
  const who = { person, channel: 'console', ...(credential !== undefined && { credential }) } as const;
  return host.operatorOf(seesAll(signed) ? who : { ...who, principal });
}

/**
 * What somebody may do beside looking. Definitions are everybody's: whoever changes one could take the checkpoints out of
 * it, so an agent's credential does not do.
 */
export function permissionsOf(signed: Signed, host: Pick<Host, 'sources'>): SignedIn['may'] {
  const answer = signed.scopes.has('checkpoints:respond');
  const hasPlace = host.sources.some(({ isWritable }) => isWritable === true);
  return {
    answer,
    save: answer && signed.scopes.has('write') && hasPlace,
    sees: seesAll(signed) ? 'all' : 'own',
  };
}
