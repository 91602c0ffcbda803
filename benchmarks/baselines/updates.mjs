import pg from 'pg';

const text = 'x'.repeat(1024);

/**
 * The baseline for advancing sessions in Postgres. A single statement increments the revision of a row, unless another
 * client did so first, and inserts a row of 1 kB. It is one transaction and one round trip.
 *
 * @param {string} url of an empty database
 * @param {{ readonly connections: number, readonly rows: number }} options
 */
export async function createUpdates(url, { connections, rows }) {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  await pool.query('CREATE TABLE places (id integer PRIMARY KEY, revision integer NOT NULL)');
  await pool.query(
    'CREATE TABLE moves (id integer, revision integer, body text NOT NULL, PRIMARY KEY (id, revision))',
  );
  await pool.query('INSERT INTO places SELECT id, 0 FROM generate_series(1, $1) AS id', [rows]);
  return {
    /** One function for each row that increments its revision. */
    movers: Array.from({ length: rows }, (_, at) => moverOf(pool, at + 1)),
    close: () => pool.end(),
  };
}

function moverOf(pool, id) {
  let revision = 0;
  return async () => {
    const { rowCount } = await pool.query({ name: 'move', text: move, values: [id, revision, text] });
    if (rowCount !== 1) throw new Error(`Row ${id} is not at revision ${revision}`);
    revision += 1;
  };
}

const move = `
  WITH moved AS (
    UPDATE places SET revision = revision + 1 WHERE id = $1 AND revision = $2 RETURNING id, revision
  )
  INSERT INTO moves SELECT id, revision, $3 FROM moved`;
