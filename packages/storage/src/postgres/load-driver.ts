import { WorkflowError } from '@workflowlookup/schema';

/** The library that speaks to Postgres. */
export type PostgresDriver = typeof import('pg');

/** Loads the library, when the first session call needs it. */
export async function loadDriver(
  load: () => Promise<PostgresDriver> = () => import('pg'),
): Promise<PostgresDriver> {
  try {
    return await load();
  } catch (cause) {
    throw new WorkflowError(
      'STORAGE',
      "Sessions can't be kept in Postgres: the package pg can not be loaded. Install pg 8.23.1 or a newer 8.",
      { data: { reason: 'no-driver', retryable: false }, cause },
    );
  }
}
