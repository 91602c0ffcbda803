/**
 * Of a row of `sessions`: whether it is of the last event of its session. An older row that somebody puts back has a genuine
 * seal too.
 */
export const isAtEnd = `(sessions.revision, sessions.hash) = (
  SELECT events.revision, events.hash FROM events WHERE events.sid = sessions.sid ORDER BY events.revision DESC LIMIT 1
)`;
