import { counted } from '../terminal/plain-text.ts';

export const connectMessages = {
  keyEnvWithoutHttp: '--key-env needs --http: a server that the client starts takes no API key.',
  serverOptions: (found: string) =>
    `A server with an address already has its options. Leave these out: ${found}.`,
  httpUrl: '--http must be an http or https URL without a password.',
  keyEnvName: '--key-env must be the name of an environment variable, not the API key.',
  noAddress: (title: string, url: string, id: string) =>
    `The file of ${title} can't hold a server with an address. Add ${url} in its settings under Connectors; ${title} then reaches it over the internet. To let it start a server: workflowlookup connect ${id}`,
  noScope: (title: string, scope: string) =>
    `${title} has no file for the scope ${scope}. Leave --scope out.`,
  notChanged: (place: string, message: string) =>
    `${place}: ${message}. Nothing was written. Fix this, or add the configuration by hand.`,
  notUtf8: 'the file is not UTF-8',
  notJson: (found: string) => `the file is not valid JSON: ${found}`,
  notToml: (found: string) => `the file is not valid TOML: ${found}`,
  twice: (key: string) => `'${key}' appears twice`,
  notArray: (path: string) => `'${path}' is not an array`,
  notObject: (key: number | string | undefined) =>
    `${key === undefined ? 'the file' : `'${key}'`} is not an object`,
  unusualToml: (key: string) => `'${key}' is written in a form that this command can't change`,
  changedMeanwhile: (file: string) =>
    `${file} was changed in the meantime. Nothing was written. Run the command again.`,
  alreadyKnown: (title: string, file: string) => `${title} already has this server in ${file}.`,
  write: (file: string) => `Write this to ${file}?`,
  toWrite: 'to write the file',
  declined: 'Nothing was written.',
  written: (file: string, outcome: string, title: string) =>
    `${file} was ${outcome}. Restart ${title} to use the server.`,
  run: (title: string, file: string) => `${title}: run this, or use --write to change ${file}.`,
  add: (title: string, file: string) => `${title}: add this to ${file}, or use --write to do so.`,
  untrusted: (count: number, command: string) =>
    `Agents do not get ${counted(count, 'definition')} of this project before you trust them. Review them: ${command}`,
} as const;

export const hookMessages = {
  twoScopes: () => 'There are two scopes, --project and --user. Give only one.',
  noUserFile: (title: string) => `${title} has no hooks file for the user. Use --project.`,
  alreadyInstalled: (title: string, file: string) => `${title} already has these hooks in ${file}.`,
  noneToRemove: (title: string, file: string) =>
    `There are no hooks of workflowlookup for ${title} in ${file}. To see where hooks are installed: workflowlookup hooks status`,
  installedIn: (file: string, outcome: string, title: string, trust: string | undefined, state: string) =>
    `${file} was ${outcome}. Restart ${title} to use the hooks.\n${trust === undefined ? '' : `${trust}\n`}To see whether they run: workflowlookup hooks status${state}`,
  deleteFile: (file: string) => `Nothing else is in ${file}. Delete it?`,
  toRemove: 'to remove the hooks',
  notRemoved: 'The hooks were not removed.',
  removedFrom: (file: string, outcome: string, title: string) =>
    `${outcome === 'removed' ? `${file} had only these hooks, and was removed.` : `The hooks were removed from ${file}.`} Restart ${title}.`,
  offer: (client: string, scope: string | undefined) =>
    `To keep the agent in its session, install hooks too: workflowlookup hooks install ${client}${scope === 'user' ? ' --user' : ''}`,
  installed: (rows: string) =>
    rows === ''
      ? 'No hooks are installed. Install them: workflowlookup hooks install claude-code'
      : `Installed\n${rows}`,
  trusted: (isTrusted: boolean) =>
    isTrusted ? 'the client trusts this folder' : 'the client does not trust this folder yet',
  lastRun: (moment: string | undefined) => (moment === undefined ? 'no run yet' : `last run ${moment} UTC`),
  events: (names: readonly string[]) =>
    names[0] === 'all' ? 'all events' : names.length === 1 ? '1 event' : `${names.length} events`,
  policy: (rows: string, paths: readonly string[]) =>
    `Policy${paths.length === 0 ? ', without a file' : ` from ${paths.join(' and ')}`}\n${rows}`,
  acts: (rows: string) => (rows === '' ? 'No rule has acted yet.' : `How often each rule acted\n${rows}`),
  errors: (count: number, file: string) =>
    `${count === 1 ? '1 error' : `${count} errors`} of hooks: see ${file}`,
} as const;

/** What a client asks of its user before hooks run. */
export const trustNotes = {
  claude:
    'Claude Code runs the hooks of a project only after you trust its folder. Start Claude Code there, and answer yes. (With claude -p, it runs them without asking.)',
  codex:
    'Codex runs a hook only after you trust it: enter /hooks in Codex. If the hook changes, trust it again.',
  gemini:
    'Gemini CLI runs the hooks of a project only after you trust its folder. Start Gemini CLI there, and answer yes.',
} as const;
