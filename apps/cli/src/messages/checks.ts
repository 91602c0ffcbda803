import { counted } from '../terminal/plain-text.ts';

export const checkMessages = {
  exists: (file: string) => `${file} exists already. Edit it, or delete it to have checks proposed again.`,
  noneFound:
    'Found no tests or scripts to propose. The file has no checks yet: add them, as docs/evidence.md explains.',
  written: (file: string, name: string | undefined) =>
    `Wrote ${file}. Try a check, then trust the file:\n${name === undefined ? '' : `  workflowlookup checks run ${name}\n`}  workflowlookup checks trust`,
  noFile: (file: string) => `This project has no ${file}. Write one: workflowlookup checks init`,
  invalid: (file: string, problem: string) => `${file} has an error (${problem}). Correct it.`,
  unknown: (name: string, names: readonly string[]) =>
    `There is no check '${name}'. The checks of this project: ${names.join(', ') || 'none'}.`,
  needsTerminal: (command: string) =>
    `Only a person at a terminal can do this, and standard input is not a terminal. Run at a terminal: ${command}`,
  nothingToAccept: (name: string) =>
    `No tests of check '${name}' were accepted, because it failed, or because no JUnit report counts its tests.`,
  accepted: (name: string, count: number) =>
    `From now on, ${count === 1 ? '1 test counts' : `${count} tests count`} as accepted for check '${name}'.`,
  tests: (run: number, failed: number, skipped: number) =>
    `${counted(run, 'test')} ran, ${failed} failed, ${skipped} ${skipped === 1 ? 'was' : 'were'} skipped.`,
  result: (name: string, reasons: readonly string[]) =>
    reasons.length === 0 ? `Check ${name} passed.` : `Check ${name} failed: ${reasons.join(', ')}.`,
  commands: 'Commands:',
  hidden: "Characters that can't be seen:",
  sameAsTrusted: '  (as it was trusted before)',
  notIncluded: (name: string) => `No longer included: ${name}`,
  alreadyTrusted: (file: string) => `${file} is trusted as it is.`,
  question: 'May the server run these commands when an agent asks for evidence? (y/N) ',
  trusted: (file: string) => `${file} is trusted. The trust ends with its next change.`,
  declined: 'Nothing was trusted.',
  statusTrusted: 'trusted',
  statusUntrusted: 'not trusted: workflowlookup checks trust',
  statusChanged: 'changed since it was trusted: workflowlookup checks trust',
  keyOrUnsigned:
    'Give either --key or --unsigned. A statement without a signature can not be submitted, nor made from another one.',
  serverNeedsSession: 'A statement is submitted to one session. Name it: --session SESSION',
  notTrusted:
    'The checks of this folder are not trusted as they are now. Look at them first: workflowlookup checks trust',
  collecting: (id: string) => `Collecting evidence '${id}' …`,
  nothingAsked: 'The session asks for no evidence that is still needed.',
} as const;

export const remoteMessages = {
  noUrl: (found: string) =>
    `--server must be the address of a server, such as https://workflows.example.com, found '${found}'.`,
  notEncrypted: (host: string) =>
    `The address of ${host} starts with http:, so others on the network could read the API key. Use https:.`,
  noKey: (variable: string) => `There is no API key. Set ${variable} to yours.`,
  keyRefused: (variable: string) => `The server does not accept the API key in ${variable}.`,
  unreachable: (origin: string) =>
    `${origin} can't be reached, or sent the request elsewhere. Check the address.`,
  refused: (origin: string, status: number, reason: string) =>
    `${origin} refused the request with status ${status}${reason === '' ? '' : ` (${reason})`}.`,
  otherReply: 'The server sent something else than expected. Is it workflowlookup, of this version?',
} as const;
