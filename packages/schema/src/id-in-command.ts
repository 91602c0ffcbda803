/**
 * An id from a database as a word of a command that a person is told to run. One that a shell or the command line would
 * take for something else is left out: somebody who can write to the database chose it.
 */
export function idInCommand(id: string): string {
  return /^\w[\w-]*$/.test(id) ? id : 'ID';
}
