import { expect, it } from 'vitest';
import {
  callMessages,
  damageMessages,
  databaseMessages,
  exportMessages,
  fileMessages,
  postgresFailures,
  rowNames,
  sealMessages,
  sqliteFailures,
  workflowUnreadable,
} from '../src/messages.ts';

const digest = 'sha256:1f2e';
const sid = '5d0c';

it('Problems with the files of a source', () => {
  const codes = ['EACCES', 'EPERM', 'ELOOP', 'EMFILE', 'ENFILE', 'ENOENT', 'ENOTDIR', 'EIO'];
  const texts = [
    ...codes.map((code) => fileMessages.unreadable('review.yaml', code)),
    fileMessages.unreadable('.', 'ENOTDIR'),
    fileMessages.notRegular('review.yaml'),
    fileMessages.notUtf8('review.yaml'),
    fileMessages.fileTooLarge('review.yaml', 1_048_577, 1_048_576),
    fileMessages.tooManyFiles('review', 1_000),
    fileMessages.folderTooLarge('review'),
    fileMessages.changedWhileReading('review.yaml'),
    fileMessages.readerFailed('review.yaml', 'RangeError'),
    fileMessages.hiddenName('re\\u200bview.yaml'),
    fileMessages.leavesSource('review.yaml'),
    fileMessages.sourceLeavesProject(),
    fileMessages.noFolderReader('review', 'workflow.yaml'),
    fileMessages.changedReference('review/workflow.yaml', "There is no activity 'read'"),
    fileMessages.duplicateId('review', ["'a.yaml'", "'b.yaml'"], 0),
    fileMessages.duplicateId('review', ["'a.yaml'", "'b.yaml'"], 3),
    fileMessages.sourceFailed('user', 'EIO'),
  ];
  const lines = texts.map(({ message, suggestion }) => `${message}. ${suggestion}.`);
  expect([...lines, workflowUnreadable('review', 'user')].join('\n')).toMatchInlineSnapshot(`
    "'review.yaml' can't be read: permission denied. Give the user that runs the server permission to read it.
    'review.yaml' can't be read: permission denied. Give the user that runs the server permission to read it.
    'review.yaml' is a symbolic link that leads in a circle. Point the link to a file in this source.
    'review.yaml' can't be read: too many files are open. Raise the limit of open files. The server tries again.
    'review.yaml' can't be read: too many files are open. Raise the limit of open files. The server tries again.
    'review.yaml' does not exist, or is a symbolic link to nothing. Put the file back, or remove the link.
    'review.yaml' is not a folder. Pass the folder that contains the definitions.
    'review.yaml' can't be read: the system reports EIO. Check the disk that it is on.
    The source is not a folder. Pass the folder that contains the definitions.
    'review.yaml' is not a regular file. Replace it with a regular file.
    'review.yaml' is not valid UTF-8. Save the file as UTF-8.
    'review.yaml' has 1048577 bytes, but a definition has at most 1048576 bytes (1 MiB). Split the workflow, or move long texts out of it.
    The activity workflow 'review' has more than 1000 files. Split the workflow, or remove the files that it does not use.
    The files of the activity workflow 'review' have more than 16 MiB together. Split the workflow, or remove the files that it does not use.
    'review.yaml' changed while it was being read. You need not do anything: it is read again in a moment.
    'review.yaml' can't be read: the reader failed with RangeError. Remove parts of the definition until it can be read.
    The name 're\\u200bview.yaml' contains invisible characters, which are shown as codes here. Rename it with letters, digits and hyphens.
    'review.yaml' is a symbolic link to something outside of its source. Copy the file into the source, or add its folder as another source.
    The source is outside of the project, because its path contains a symbolic link. To serve the folder that the link leads to, pass its path with --workflows.
    The folder 'review' is ignored: 'workflow.yaml' makes it an activity workflow, which this store does not read. If 'workflow.yaml' is a step workflow, rename it.
    'review/workflow.yaml' is not served, because a workflow that it uses has changed since you trusted it: There is no activity 'read'. Run 'workflowlookup trust' to see what has changed, then trust that workflow or correct it.
    The id 'review' is also used by 'a.yaml', 'b.yaml'. Give each workflow in a source its own id.
    The id 'review' is also used by 'a.yaml', 'b.yaml' and 3 more. Give each workflow in a source its own id.
    The source 'user' can't be read: EIO. Repair this source, or remove it. The other sources are served.
    Workflow 'review' can't be read from the source 'user'. Check the source, then repeat the call."
  `);
});

it('Calls that a session store refuses', () => {
  const lines = [
    callMessages.noSession(sid),
    callMessages.notStored('definition', digest),
    callMessages.notStored('blob', digest),
    callMessages.closed(),
    callMessages.badSessionId('a b'),
    callMessages.noEvents(),
    callMessages.wrongRevision(7, 5),
    callMessages.brokenChain(5),
    callMessages.snapshotAhead(7, 5),
    callMessages.badTime('2026-01-31'),
    callMessages.badText('principal'),
    callMessages.badPageLimit(0),
    callMessages.badCursor(),
  ];
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "There is no session '5d0c'. It may have been pruned. List the sessions with "workflowlookup sessions list".
    The definition 'sha256:1f2e' is not in the store. Store it with putDefinition first.
    The blob 'sha256:1f2e' is not in the store. Store it with putBlob first.
    The session store is closed. Create another store.
    The session id "a b" is not valid. Use 1 to 128 printable ASCII characters without spaces.
    The write has no events. Pass at least one event.
    The event has revision 7, but 5 is next. Seal the events after the head of the journal with sealEvents.
    Event 5 does not name the hash of the event before it. Seal the events with sealEvents.
    The snapshot has revision 7, but the journal ends at 5. Pass a snapshot of revision 0 to 5.
    The time '2026-01-31' is not valid. Write it as 2026-01-31T12:00:00.000Z.
    The text in principal contains a NUL character or half of a surrogate pair. Remove it.
    The limit 0 is not valid. Pass a whole number from 1 to 1,000.
    The cursor is not valid. Pass the cursor of the previous page, or none for the first page."
  `);
});

it('Exports and imports', () => {
  const problems = [
    exportMessages.missingValue(digest),
    exportMessages.missingDefinition(digest),
    exportMessages.changedFrom(3),
    exportMessages.endsEarly(3, 5),
    exportMessages.wrongEnd(),
  ];
  const unusable = [
    exportMessages.noHeader(),
    exportMessages.incomplete(),
    exportMessages.notAnObject(),
    exportMessages.misplacedLine(),
    exportMessages.unknownLine(),
    exportMessages.wrongValue(),
    exportMessages.changedSince(3),
    exportMessages.otherEnd(),
  ];
  const lines = [
    ...problems.map((problem) => exportMessages.damaged(sid, problem)),
    exportMessages.alreadyThere(sid),
    ...unusable.map((problem) => exportMessages.unusable(problem, undefined)),
    exportMessages.unusable(exportMessages.notAnObject(), 2),
  ];
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "Session '5d0c' can't be exported: the value sha256:1f2e is missing. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' can't be exported: its definition sha256:1f2e is missing. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' can't be exported: its journal was changed at revision 3. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' can't be exported: its journal ends at revision 3 instead of 5. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' can't be exported: its journal does not end with the event that the session names. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' is already in this store, so nothing was imported. Show it with "workflowlookup sessions show 5d0c".
    The exported session has no header line. Export it again with "workflowlookup sessions export".
    The exported session is incomplete: lines are missing. Export it again with "workflowlookup sessions export".
    The exported session has a line that is not a JSON object. Export it again with "workflowlookup sessions export".
    The exported session has a line in the wrong place. Export it again with "workflowlookup sessions export".
    The exported session has a line of an unknown format. Export it again with "workflowlookup sessions export".
    The exported session has a value that does not match its digest. Export it again with "workflowlookup sessions export".
    The exported session was changed at revision 3. Export it again with "workflowlookup sessions export".
    The exported session does not end with the event that its header names. Export it again with "workflowlookup sessions export".
    The exported session has a line that is not a JSON object (line 2). Export it again with "workflowlookup sessions export"."
  `);
});

it('Sessions that cannot be verified', () => {
  const lines = [
    sealMessages.forged(sid, rowNames.event(3)),
    sealMessages.forged(sid, rowNames.session()),
    sealMessages.forged(sid, rowNames.call(2)),
    sealMessages.forged(sid, rowNames.commandResult()),
    sealMessages.forged(sid, rowNames.agent(1)),
    sealMessages.unknownKey(sid, 'k1'),
    sealMessages.unsealed(sid),
    sealMessages.unchecked(sid),
    sealMessages.sealedElsewhere(sid),
    sealMessages.imported(sid),
    sealMessages.changedSinceInspection(sid),
    sealMessages.noKeys(),
  ];
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "Session '5d0c' can't be used: event 3 was not written by a server with these keys. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' can't be used: its row was not written by a server with these keys. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' can't be used: call 2 of its trace was not written by a server with these keys. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' can't be used: the recorded result of a command was not written by a server with these keys. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' can't be used: agent 1 was not written by a server with these keys. Inspect it with "workflowlookup sessions verify 5d0c", then restore the database from a backup.
    Session '5d0c' can't be used: it was sealed with the key 'k1', which this server does not have. Add that key to the keys of this server again. If it is lost and "workflowlookup sessions verify 5d0c" reports nothing else, run "workflowlookup sessions seal 5d0c --lost-key k1".
    Session '5d0c' can't be continued, and agents can't use it: it has no seal. An older version or another program wrote it, or somebody changed the database. Inspect it with "workflowlookup sessions verify 5d0c". If it is right, a person can continue it with "workflowlookup sessions seal 5d0c".
    Session '5d0c' can't be continued, and agents can't use it: this program does not have the keys of its servers. Set WORKFLOWLOOKUP_KEYS to the same value as for the servers.
    Session '5d0c' can't be continued, and agents can't use it: this server does not have the key that sealed it. Run "workflowlookup sessions verify 5d0c" to see which key it is, and add that key to the keys of this server again. If it is lost, a person can continue the session with "workflowlookup sessions seal 5d0c --lost-key ID".
    Session '5d0c' can be read but not continued: it was imported from a server with other keys. Start a new session of the same workflow, or continue this one on the server that exported it.
    Session '5d0c' was written to while you inspected it, so nothing was sealed. Run "workflowlookup sessions verify 5d0c" and "workflowlookup sessions seal 5d0c" again.
    This program can only read the session database, because it does not have the keys of its servers. Set WORKFLOWLOOKUP_KEYS to the same value as for the servers, or use the state directory with their key file."
  `);
});

it('Damage in a database', () => {
  const problems = [
    damageMessages.noSchemaVersion(),
    damageMessages.brokenIndex('sessions'),
    damageMessages.notUtf8(),
    damageMessages.notAnObject('a definition'),
    damageMessages.apiKey(),
    damageMessages.session(),
    damageMessages.severalRows(sid),
    damageMessages.value(digest),
    damageMessages.definition(digest),
    damageMessages.call(2, sid),
    damageMessages.commandResult(),
    damageMessages.agent(),
    damageMessages.event(3, sid),
    damageMessages.missingEvent(3, sid),
    damageMessages.wrongEnd(sid),
  ];
  expect(problems.map(damageMessages.damaged).join('\n')).toMatchInlineSnapshot(`
    "The session database is damaged: it has no schema version. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: the index of its table sessions is broken. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: it contains a text that is not UTF-8. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: a definition is not a JSON object. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: an API key was changed after it was stored. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: a session was changed after it was stored. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: session '5d0c' is stored more than once. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: the value sha256:1f2e was changed after it was stored. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: the definition sha256:1f2e was changed after it was stored. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: call 2 of session '5d0c' was changed after it was stored. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: the result of a command was changed after it was stored. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: an agent of a session was changed after it was stored. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: event 3 of session '5d0c' was changed after it was stored. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: the journal of session '5d0c' breaks at revision 3. Restore it from a backup, or move it away to start with an empty one.
    The session database is damaged: the journal of session '5d0c' does not end with the event that the session names. Restore it from a backup, or move it away to start with an empty one."
  `);
});

it('Databases that cannot be used', () => {
  const lines = [
    databaseMessages.newerSchema(9, 8, 'state directory'),
    databaseMessages.newerSchema(9, 8, 'database'),
    databaseMessages.otherEncoding('LATIN1'),
    databaseMessages.noLibsql(),
    databaseMessages.noNodeSqlite(),
    databaseMessages.noPg(),
    databaseMessages.newerSqliteInUse('3.45.1'),
    databaseMessages.removed(),
  ];
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "The session database has schema version 9, but this program supports 8: a newer one wrote it. Use that one, or another state directory.
    The session database has schema version 9, but this program supports 8: a newer one wrote it. Use that one, or another database.
    The session database has the encoding LATIN1, which can't represent every text. Create a database with ENCODING 'UTF8'.
    Sessions can't be stored: the package libsql can not be loaded. Install libsql with "npm install libsql@0.5.29", or run a Node.js that contains SQLite 3.51.3 or newer, such as 22.23.
    Sessions can't be stored: this Node.js has no node:sqlite. Install libsql with "npm install libsql@0.5.29", or run a Node.js that contains SQLite 3.51.3 or newer, such as 22.23.
    Sessions can't be stored in Postgres: the package pg can not be loaded. Install it with "npm install pg@^8.23.1".
    The session database is in use by a process with a newer SQLite, in a mode that SQLite 3.45.1 can't share safely. Run all processes on one version of Node.js.
    The session database was removed or replaced while it was in use. Writes that were not acknowledged are lost. Put the file back, or start with another state directory."
  `);
});

it('Failures of SQLite', () => {
  const { unknown, ...known } = sqliteFailures;
  const failures = [...Object.values(known), unknown('EMLINK'), unknown(99)];
  expect(failures.map(databaseMessages.failed).join('\n')).toMatchInlineSnapshot(`
    "The session database can't be used: other processes kept it locked. Send the same call again.
    The session database can't be used: the disk is full. Free some space and send the same call again.
    The session database can't be used: this user can't write to its file or folder. Give this user permission to write there, or use another state directory with --state.
    The session database can't be used: the disk reported an error. Check the disk, then send the same call again.
    The session database can't be used: its file is damaged. Restore it from a backup, or move it away to start with an empty one.
    The session database can't be used: it failed with EMLINK. Check the state directory.
    The session database can't be used: it failed with SQLite code 99. Check the state directory."
  `);
});

it('Failures of Postgres', () => {
  const { unknown, ...known } = postgresFailures;
  const failures = [...Object.values(known), unknown('XX999')];
  expect(failures.map(databaseMessages.failed).join('\n')).toMatchInlineSnapshot(`
    "The session database can't be used: the server does not answer or ended the connection. Send the same call again in a moment. It takes effect only once.
    The session database can't be used: it is locked by others, or all connections are in use. Send the same call again in a moment.
    The session database can't be used: it took too long to answer. Send the same call again in a moment.
    The session database can't be used: the server is read-only. Send the same call again in a moment, or use the address of the server that accepts writes.
    The session database can't be used: the disk of the server is full. Free some space and send the same call again.
    The session database can't be used: the server refuses this user. Check the user, the password and its permissions.
    The session database can't be used: the server has no such database. Create the database, or use another one.
    The session database can't be used: its tables were removed while it was in use. Restore them, then start again.
    The session database can't be used: no secure connection to the server can be made. Check the TLS settings in the address and the certificate of the server.
    The session database can't be used: its address is not valid. Write it as postgres://user:password@host:port/database.
    The session database can't be used: the server found it damaged. Restore it from a backup, or move it away to start with an empty one.
    The session database can't be used: the server refused a statement with code XX999. Check the log of the server."
  `);
});
