import type { Folder } from '@workflowlookup/schema';

/**
 * The folder of an activity workflow that lies elsewhere, by its name. It must be the same object as long as nothing
 * in it has changed, because another one makes those read again that borrow from it.
 */
export type BorrowFolder = (workflow: string) => Promise<Folder | undefined>;

/** The answer to a wish to borrow: from the source itself, or else from elsewhere. */
export interface Loan {
  readonly own: Folder | undefined;
  readonly elsewhere: Folder | undefined;
}

/** Answers those who want to borrow a folder. */
export interface Lender {
  ask(workflow: string): Promise<Loan>;
  /** Names of lenders elsewhere that would now answer otherwise. */
  changedElsewhere(loans: Iterable<ReadonlyMap<string, Loan>>): Promise<ReadonlySet<string>>;
}

/** Makes a lender that asks the source first. */
export function createLender(
  ownFolder: (workflow: string) => Folder | undefined,
  borrow: BorrowFolder | undefined,
): Lender {
  async function elsewhere(workflow: string): Promise<Folder | undefined> {
    try {
      return await borrow?.(workflow);
    } catch {
      // A lender that fails has nothing to lend now; it is asked again before long.
      return undefined;
    }
  }

  return {
    async ask(workflow) {
      const own = ownFolder(workflow);
      return { own, elsewhere: own === undefined ? await elsewhere(workflow) : undefined };
    },
    async changedElsewhere(loans) {
      const now = new Map<string, Folder | undefined>();
      const changed = new Set<string>();
      const wanted = borrow === undefined ? [] : [...loans].flatMap((each) => [...each]);
      for (const [workflow, loan] of wanted.filter(([, { own }]) => own === undefined)) {
        if (!now.has(workflow)) now.set(workflow, await elsewhere(workflow));
        if (now.get(workflow) !== loan.elsewhere) changed.add(workflow);
      }
      return changed;
    },
  };
}
