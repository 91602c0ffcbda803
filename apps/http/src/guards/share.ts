/** Lets each principal have so many calls under way at once, so that one does not take the place of all. */
export interface Share {
  /**
   * Runs work that counts as one call until it is done, or returns `undefined` if the principal has used its share. The
   * work may turn out to be several calls: `more` says so, and is false if there is no room for them.
   */
  run<T>(principal: string, work: (more: (count: number) => boolean) => Promise<T>): Promise<T> | undefined;
}

/** Makes one. */
export function createShare(max: number): Share {
  const underWay = new Map<string, number>();

  const countOf = (principal: string): number => underWay.get(principal) ?? 0;

  function change(principal: string, by: number): void {
    const left = countOf(principal) + by;
    if (left === 0) underWay.delete(principal);
    else underWay.set(principal, left);
  }

  async function counted<T>(
    principal: string,
    work: (more: (count: number) => boolean) => Promise<T>,
  ): Promise<T> {
    let own = 1;
    change(principal, own);
    const more = (count: number): boolean => {
      if (countOf(principal) + count > max) return false;
      own += count;
      change(principal, count);
      return true;
    };
    try {
      return await work(more);
    } finally {
      change(principal, -own);
    }
  }

  return {
    run: (principal, work) => (countOf(principal) < max ? counted(principal, work) : undefined),
  };
}
