/** Lets each principal have so many requests under way at once, so that one does not take the place of all. */
export interface Share {
  /** Runs work that counts until it is done; `undefined` where the principal has its share already. */
  run<T>(principal: string, work: () => Promise<T>): Promise<T> | undefined;
}

/** Makes one. */
export function createShare(max: number): Share {
  const underWay = new Map<string, number>();

  async function counted<T>(principal: string, work: () => Promise<T>): Promise<T> {
    underWay.set(principal, (underWay.get(principal) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(principal) ?? 1) - 1;
      if (left === 0) underWay.delete(principal);
      else underWay.set(principal, left);
    }
  }

  return {
    run: (principal, work) => ((underWay.get(principal) ?? 0) < max ? counted(principal, work) : undefined),
  };
}
