/**
 * Messages that several commands need. An error, here and in the files beside this one, says what is wrong, with the
 * value found, what is expected, and the next thing to do.
 */
export const optionMessages = {
  oneOf: (names: readonly string[]) => `It must be one of ${names.join(', ')}.`,
  between: (least: number, most: number) => `It must be a number from ${least} to ${most}.`,
  age: (text: string) =>
    `'${text}' is not an age or a date. Use 30m, 12h, 7d, 4w, or a date such as 2026-03-01.`,
  port: (port: string) => `--port must be a whole number, found '${port}'. Example: --port 8420`,
  context:
    '--context must be a JSON object of variables, or @ followed by the name of a file with one. Example: --context \'{"mandate": "fix"}\'',
  variable: (name: string, type: string, example: string) =>
    `'${name}' must be JSON of type ${type}. Example: ${example}`,
  fixAndWatch: '--fix and --watch can not be used together. Leave one of them out.',
  jsonAndJunit: "--json and '--junit -' both print to standard output. Give --junit a file name.",
  url: '--url must be an http or https URL without a password.',
  keyEnvWithoutUrl: '--key-env needs --url: a server that is started here takes no API key.',
  keyEnvUnset: (name: string) =>
    `The environment variable '${name}' that --key-env names is not set. Set it to the API key.`,
  oneOfTrust: 'Use only one of --folder, --list and --remove.',
  drawingFormat: (out: string) =>
    `'${out}' ends with neither .svg nor .mmd. Change the name of the file, or add --format svg or --format mermaid.`,
} as const;

export const fileMessages = {
  missing: (path: string) => `'${path}' does not exist.`,
  unreadable: (path: string, code: string) => `'${path}' can't be read (${code}).`,
  exists: (path: string) => `'${path}' already exists. Nothing was written.`,
  notReplaced: (path: string, code: string) => `'${path}' can't be written (${code}). It was not changed.`,
  notWritten: (path: string, code: string) => `'${path}' can't be written (${code}). Nothing was written.`,
  isLink: (path: string, target: string | undefined) =>
    `'${path}' is a symbolic link to ${target === undefined ? 'something that is not there' : `'${target}'`}, and this command does not write through links. Nothing was written. Name the path that it leads to, or replace the link with a file or folder.`,
  notRegularOutput: (path: string) =>
    `'${path}' is a device, a pipe or a socket. Name a regular file, or no file to print the result.`,
  notRegularInput: (path: string) => `'${path}' is a pipe, a socket or a device. Name a regular file.`,
  tooLarge: (path: string, size: number, limit: number) =>
    `'${path}' has ${size} bytes, and a definition may have at most ${limit} (1 MiB). Split the workflow, or move long texts out of it.`,
  wrote: (path: string) => `Wrote ${path}.`,
  noOutput: (code: string) =>
    `Standard output can't be written (${code}). Free some space, or redirect the output elsewhere.`,
} as const;

export const terminalMessages = {
  needsYes: (purpose: string) =>
    `Standard input is not a terminal, so nobody can confirm. Add --yes ${purpose}.`,
  untrustedWorkflow: (id: string, command: string) =>
    `Workflow '${id}' is a file of this project that no person has trusted, so it is shown only at a terminal. Review it at a terminal: ${command}`,
} as const;
