/** What a database keeps in a column, and what may be bound. */
export type SqlValue = string | number | bigint | null;

/** A row: exactly the columns that were asked for. */
export type SqlRow = Readonly<Record<string, SqlValue>>;
