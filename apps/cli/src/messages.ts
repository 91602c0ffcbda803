/**
 * Every error, question and result that the command line prints, except tables, outlines and the help of commands. A
 * message says what is wrong, with the value found; what is expected; and the next thing to do.
 */
export const messages = {
  options: {
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
  },

  files: {
    missing: (path: string) => `'${path}' does not exist.`,
    unreadable: (path: string, code: string) => `'${path}' can't be read (${code}).`,
    exists: (path: string) => `'${path}' already exists. Nothing was written.`,
    notReplaced: (path: string, code: string) => `'${path}' can't be written (${code}). It was not changed.`,
    notWritten: (path: string, code: string) => `'${path}' can't be written (${code}). Nothing was written.`,
    isLink: (path: string, target: string) =>
      `'${path}' is a symbolic link to ${target}, and this command does not write through links. Nothing was written. Name the path that it leads to, or replace the link with a file or folder.`,
    notRegularOutput: (path: string) =>
      `'${path}' is a device, a pipe or a socket. Name a regular file, or no file to print the result.`,
    notRegularInput: (path: string) => `'${path}' is a pipe, a socket or a device. Name a regular file.`,
    tooLarge: (path: string, size: number, limit: number) =>
      `'${path}' has ${size} bytes, and a definition may have at most ${limit} (1 MiB). Split the workflow, or move long texts out of it.`,
    wrote: (path: string) => `Wrote ${path}.`,
    noOutput: (code: string) =>
      `Standard output can't be written (${code}). Free some space, or redirect the output elsewhere.`,
  },

  definitions: {
    none: (paths: readonly string[]) =>
      `There are no definitions in '${paths.join("', '")}'. Name a .json, .yaml or .yml file, or a folder with definitions.`,
    notDefinition: (path: string) =>
      `'${path}' is not a definition. Name a .json, .yaml or .yml file, the folder of an activity workflow, or a file in it.`,
    notStepWorkflow: (path: string) =>
      `'${path}' is not a file of a step workflow. Name .json, .yaml or .yml files.`,
    refused: (count: number) =>
      `${count === 1 ? 'One definition has errors and is' : `${count} definitions have errors and are`} not served. See the errors: workflowlookup lint`,
    untrusted: (count: number, names: readonly string[]) =>
      `Agents do not get ${count === 1 ? 'one definition' : `${count} definitions`} of this project. Review ${count === 1 ? 'it' : 'them'}: workflowlookup trust${names.map((name) => `\n  ${name}`).join('')}${count > names.length ? `\n  and ${count - names.length} more` : ''}`,
    nameToDraw:
      'Name the workflow to draw, or a session with --session. See the workflows: workflowlookup list',
    otherWorkflow: (session: string, actual: string, named: string) =>
      `Session '${session}' belongs to workflow '${actual}', not '${named}'. Leave the workflow out.`,
  },

  convert: {
    unknownNotation: (name: string) => `'${name}' is not a .json, .yaml, .yml or .toon file.`,
    sameNotation: (name: string) => `'${name}' is already written in that notation.`,
    toonStepWorkflow: (name: string) =>
      `'${name}' is a step workflow, which must be JSON or YAML. Servers read TOON only in the folders of activity workflows.`,
    wroteFolder: (path: string, count: number) => `Wrote ${path}. ${count} of its files were converted.`,
    notSame: (name: string, why: string) =>
      `'${name}' was not converted because the result would be a different workflow.${why === '' ? '' : ` ${why}.`}`,
    noWorkflowFile: (name: string) =>
      `'${name}' has no workflow file. Name a file, or the folder of an activity workflow.`,
    nameOutput: 'Name the folder to write to. Example: --out ./converted/my-flow',
    outputInside: (out: string, name: string) =>
      `'${out}' is inside '${name}'. Name a folder outside it with --out.`,
    invalid: (name: string, message: string, line: number, column: number) =>
      `'${name}' can't be read: ${message} (${line}:${column}).`,
    wouldLose: (name: string, what: string) =>
      `'${name}' was not converted because something would be lost: ${what}.`,
  },

  init: {
    nameId: 'The new workflow needs an id because standard input is not a terminal. Example: --id tea-time',
    idTaken: (id: string, file: string) =>
      `'${file}' already has the id '${id}'. Nothing was written. Choose another id.`,
    noTemplate: (name: string, names: string) =>
      `There is no template '${name}' of this kind. Use one of: ${names}.`,
    invalidId: (id: string) =>
      `'${id}' is not a valid id. An id has 3 to 64 lowercase letters, digits and dashes. Example: tea-time`,
    invalidTitle: 'A title must have 1 to 128 characters in one line.',
    cancelled: 'Cancelled. Nothing was written.',
    otherSchema: (path: string) =>
      `'${path}' comes from another version and was not changed. To update it, delete it and run this command again.`,
    trustFolder: (folder: string) =>
      `Agents get only workflows that a person trusts. If you trust the folder '${folder}', they also get every later change of its workflows. You are then asked again only about a workflow that replaces one that comes with the server or one in your home directory.`,
    awaitsTrust: (source: string) =>
      `A workflow from ${source} has the same id and is served until you agree to replace it: workflowlookup trust`,
    overrides: (source: string) => `It overrides the workflow with the same id from ${source}.`,
    served: (id: string) => `Agents can use this workflow now. See it: workflowlookup show ${id}`,
    trustToServe: (folder: string) =>
      `Agents get it as soon as you trust it at a terminal: workflowlookup trust. If only you write to this folder: workflowlookup trust --folder ${folder}`,
    addSource: (folder: string) => `To serve it, start the server with --workflows ${folder}`,
  },

  hooks: {
    twoScopes: () => 'There are two scopes, --project and --user. Give only one.',
    noUserFile: (title: string) => `${title} has no hooks file for the user. Use --project.`,
    alreadyInstalled: (title: string, file: string) => `${title} already has these hooks in ${file}.`,
    noneToRemove: (title: string, file: string) =>
      `There are no hooks of workflowlookup for ${title} in ${file}. To see where hooks are installed: workflowlookup hooks status`,
    installedIn: (file: string, outcome: string, title: string, trust: string | undefined, check: string) =>
      [
        `${file} was ${outcome}. Restart ${title} to use the hooks.`,
        ...(trust === undefined ? [] : [trust]),
        `To see whether they run: ${check}`,
      ].join('\n'),
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
    trusted: (isTrusted: boolean): string =>
      isTrusted ? 'the client trusts this folder' : 'the client does not trust this folder yet',
    lastRun: (moment: string | undefined): string =>
      moment === undefined ? 'no run yet' : `last run ${moment} UTC`,
    events: (names: readonly string[]) =>
      names[0] === 'all' ? 'all events' : names.length === 1 ? '1 event' : `${names.length} events`,
    policy: (rows: string, paths: readonly string[]) =>
      `Policy${paths.length === 0 ? ', without a file' : ` from ${paths.join(' and ')}`}\n${rows}`,
    acts: (rows: string) => (rows === '' ? 'No rule has acted yet.' : `How often each rule acted\n${rows}`),
    errors: (count: number, file: string) =>
      `${count === 1 ? '1 error' : `${count} errors`} of hooks: see ${file}`,
  },

  connect: {
    keyEnvWithoutHttp: '--key-env needs --http: a server that the client starts takes no API key',
    serverOptions: (found: string) =>
      `A server with an address already has its options. Leave these out: ${found}`,
    httpUrl: '--http must be an http or https URL without a password',
    keyEnvName: '--key-env must be the name of an environment variable, not the API key',
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
    notObject: (what: string) => `${what} is not an object`,
    unusualToml: (key: string) => `'${key}' is written in a form that this command can't change`,
    changedMeanwhile: (file: string) =>
      `${file} was changed in the meantime. Nothing was written. Run the command again.`,
    alreadyKnown: (title: string, file: string) => `${title} already has this server in ${file}.`,
    write: (file: string) => `Write this to ${file}?`,
    toWrite: 'to write the file',
    declined: 'Nothing was written.',
    written: (file: string, outcome: string, title: string) =>
      `${file} was ${outcome}. Restart ${title} to use the server.`,
    untrusted: (definitions: string, command: string) =>
      `Agents do not get ${definitions} of this project before you trust them. Review them: ${command}`,
  },

  trust: {
    noMatch: (name: string) =>
      `'${name}' is neither the path nor the id of a definition of this project that needs trust. See the definitions: workflowlookup trust --list`,
    nothingAt: (path: string) => `Nothing at '${path}' was trusted. See what is: workflowlookup trust --list`,
    nameToRemove: 'Name what you no longer trust: workflowlookup trust --remove PATH',
    removed: (count: number, path: string) =>
      `Removed ${count === 1 ? '1 entry' : `${count} entries`}. Agents no longer get '${path}'.`,
    notFolder: (path: string) => `'${path}' is not a folder.`,
    folderWarning: (folder: string) =>
      `Trust every definition in '${folder}', now and after each later change?\nAgents then get them without another question. The exception is a definition that replaces one that comes with the server or one in your home directory: 'workflowlookup trust' asks about it after each change.\nYou trust the path, so this also applies to another folder that is put there later. Do it only if you trust everyone who can write to this folder.`,
    folderQuestion: 'Trust this folder? (y/N) ',
    folderTrusted: (path: string) => `The folder '${path}' is trusted.`,
    declined: 'Nothing was trusted.',
    noneListed: 'No definition of this project needs trust.',
    noneWaiting: 'No definition of this project is waiting for trust.',
    question: 'Trust this definition? (y/N) ',
    replaceQuestion: (source: string, id: string) =>
      `To trust it and replace the ${source} workflow, type ${id} (Enter: don't): `,
    needsTerminal:
      "Only a person at a terminal can trust definitions, and standard input is not a terminal. Run 'workflowlookup trust' at a terminal.",
    invalidRecord: (problem: string) => `The trust record can't be used: ${problem}.`,
    untrustedWorkflow: (id: string, command: string) =>
      `Workflow '${id}' is a file of this project that no person has trusted, so it is shown only at a terminal. Review it at a terminal: ${command}`,
    notServed: (id: string, reason: string) =>
      `Agents do not get '${id}': ${reason}. Trust it: workflowlookup trust ${id}`,
    otherFile: (id: string, reason: string, source: string) =>
      `This is the ${source} workflow. This project also has a file for '${id}', which is not served: ${reason}. Review it: workflowlookup trust ${id}`,
  },

  checks: {
    exists: (file: string) => `${file} exists already. Edit it, or delete it to have checks proposed again.`,
    noneFound:
      'Found no tests or scripts to propose. The file has no checks yet: add them, as docs/evidence.md explains.',
    written: (file: string) => `Wrote ${file}. Try a check, then trust the file:`,
    noFile: (file: string) => `This project has no ${file}. Write one: workflowlookup checks init`,
    invalid: (file: string, problem: string) => `${file} has an error (${problem}). Correct it.`,
    unknown: (name: string, known: string) =>
      `There is no check '${name}'. The checks of this project: ${known === '' ? 'none' : known}.`,
    needsTerminal: (command: string) =>
      `Only a person at a terminal can do this, and standard input is not a terminal. Run at a terminal: ${command}`,
    nothingToAccept: (name: string) =>
      `No tests of check '${name}' were accepted, because it failed, or because no JUnit report counts its tests.`,
    accepted: (name: string, count: number) =>
      `From now on, ${count} tests count as accepted for check '${name}'.`,
    passed: (name: string) => `Check ${name} passed.`,
    failed: (name: string, reasons: string) => `Check ${name} failed: ${reasons}.`,
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
  },

  remote: {
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
  },

  keys: {
    none: (id: string) => `There is no key with the id '${id}'. See the keys: workflowlookup keys list`,
    secretFollows: (id: string, principal: string) =>
      `Key ${id} of ${principal}. The secret is shown only once:`,
    revoked: (id: string) => `Key ${id} is revoked.`,
    sealed: (id: string) => `Key ${id} is sealed.`,
    sealNeedsTerminal: (id: string) =>
      `Key ${id} was not signed by this server. A person can accept it at a terminal: workflowlookup keys seal ${id}`,
    sealWarning: (id: string, principal: string, scopes: string, createdAt: string) =>
      `Key ${id} of ${principal} has the scopes ${scopes}. Its record says it was created at ${createdAt}.\nAn older release created it, or someone wrote it into the database.`,
    sealQuestion: 'Accept it? (y/N) ',
    sealDeclined: 'Nothing was changed.',
    signInNeedsTerminal:
      'The address that signs you in is printed only at a terminal. Run this command at a terminal.',
  },

  sessions: {
    none: (id: string, place: string) =>
      `There is no session '${id}': no sessions are stored in ${place}. Use --state or --database if they are stored elsewhere.`,
    exported: (sid: string, file: string) => `Session ${sid} was exported to ${file}.`,
    exportUnsealed: (verify: string) =>
      `The export has no seal because the session can't be authenticated or is incomplete. No server will continue it. See the problems: "${verify}". If that finds nothing, "workflowlookup sessions verify --all" looks for rows that are hidden in the database.`,
    imported: (sid: string, events: number) =>
      `Session ${sid} was imported with ${events} events. A server with the same keys exported it, so it can be continued here.`,
    importedUnsealed: (sid: string, events: number) =>
      `Session ${sid} was imported with ${events} events. No key of this server sealed them, so it can be read but not continued.`,
    pruned: (sessions: string) => `Deleted ${sessions}.`,
    wouldPrune: (sessions: string) => `Would delete ${sessions}.`,
    notPruned: (sid: string, verify: string) =>
      `Session ${sid} was not deleted because it can't be authenticated. Inspect it: "${verify}"`,
    nameToVerify: 'Name a session or a file to verify, or use --all.',
    nameToSeal: 'Name a session to seal, or use --all.',
    unauthenticated:
      'Not authenticated: the keys of the servers are missing, or nothing was sealed with them. This finds accidental damage, but not changes by someone who can write to the database.',
    statementNeedsKey: 'A statement is signed. Name the private key with --key, and write --statement.',
    statementExcludes:
      '--all and --anchor can not be used with --statement. Name the sessions or files to compare with it.',
    stated: (sid: string, file: string) => `A signed statement of session ${sid} was written to ${file}.`,
    unfinishedStated: (sid: string, status: string) =>
      `Session ${sid} is ${status}, not completed. "sessions verify" refuses the statement unless --unfinished is given.`,
    signedBy: (signers: string) => `The signature is of the trusted key ${signers}.`,
    unsigned:
      'Nobody vouches for this: the signature was not checked, because no key is trusted. Name the public key of the signer with --trusted-key NAME=FILE.',
    unfinished: (status: string) => `The session was ${status} when it was signed, not completed.`,
    abandonedStated: 'The session was abandoned, so it was not completed.',
    otherSession: (found: string, expected: string) =>
      `The statement is about session ${found}, expected ${expected}.`,
    otherCommit: (found: string | undefined, expected: string) =>
      found === undefined
        ? `The statement is about no commit, because the files of its newest evidence equalled none. Expected ${expected}.`
        : `The statement is about commit ${found}, expected ${expected}.`,
    isNewer: (target: string, events: number) =>
      `${target} has ${events} more events than the statement. Nothing vouches for these.`,
    verified: (whole: number, broken: number) => `${whole} whole, ${broken} broken.`,
    nothingVerified: (place: string, isAnchored: boolean) =>
      `There are no sessions in ${place}, so nothing was checked. If there should be some, correct --state or --database${isAnchored ? '' : ', or add --anchor FILE, which names the deleted sessions'}.`,
    sealed: (sealed: number, refused: number) => `Sealed ${sealed}, refused ${refused}.`,
    sealNeedsTerminal: (count: number) =>
      `A person must vouch for ${count} of these sessions, and standard input is not a terminal. Run this command at a terminal.`,
    sealQuestion: (count: number) =>
      `Nothing proves that these ${count} sessions are unchanged. Seal them as they are? Type "seal": `,
    sealDeclined: 'Nothing was sealed.',
    abandonQuestion: (sid: string) => `Abandon session ${sid}? It can't be resumed afterwards.`,
    toAbandon: 'to abandon a session',
    notAbandoned: 'The session was not abandoned.',
    abandoned: (sid: string) => `Session ${sid} was abandoned.`,
    parked: (sid: string) =>
      `Session ${sid} is parked. To continue, give an agent its id, or run "workflowlookup sessions resume ${sid}".`,
    unparked: (sid: string) => `Session ${sid} is not parked any more. discover lists it as open again.`,
    completed: (sid: string) => `Session '${sid}' is completed, so no agent can take it over.`,
  },

  insights: {
    none: (place: string) => `No sessions to count in ${place}.`,
    oneFormat: () => '--csv and --json exclude each other. Give only one of them.',
    more: (rows: number) => `${rows} more: --json and --csv show all of them.`,
    about: (tokens: number) => `about ${tokens}`,
    nobodyYet: () => 'nobody yet (open)',
    byClient: (person: string) => `${person} (reported by the agent's client)`,
    open: (checkpoints: number) => `(${checkpoints} open)`,
    readInSession: (median: number, most: number) =>
      `median about ${median} tokens in a session, 90 % within ${most}`,
    unverified: (sessions: number) =>
      `${sessions} sessions are in no figure. Inspect them: "workflowlookup sessions verify --all"`,
  },

  checkpoints: {
    answered: (checkpoint: string, sid: string, answer: string) =>
      `Checkpoint ${checkpoint} of session ${sid} is answered: ${answer}.`,
    twoAnswers: (first: string, second: string) =>
      `There are two answers, '${first}' and --option '${second}'. Give only one.`,
    noneWaiting: (sid: string, command: string) =>
      `Session '${sid}' has no checkpoint that needs an answer. See its state: ${command}`,
    needsTerminal: (checkpoint: string, command: string) =>
      `Checkpoint '${checkpoint}' needs a person at a terminal, and standard input is not a terminal. Run at a terminal: ${command}`,
    noOption: (checkpoint: string, named: string, options: string) =>
      `Checkpoint '${checkpoint}' has no option '${named}'. Its options: ${options}.`,
    nameOption: (checkpoint: string, options: string) =>
      `Name an option of checkpoint '${checkpoint}': ${options}.`,
    notChosen: 'No option was chosen. Nothing was changed.',
    question: (count: number) => `Answer (1 to ${count}, or its name): `,
    confirm: (option: string) => `Answer ${option}? (y/N) `,
    note: 'Note for the agent (required): ',
    confirmIrreversible: (option: string) => `Option ${option} can't be undone. Answer with it?`,
    irreversible: (option: string) => `to choose option '${option}', which can't be undone`,
  },

  run: {
    nameSubject:
      'Name either a workflow to start or a session to resume. Examples: workflowlookup run bug-investigation; workflowlookup run --session 5d0c',
    noInput:
      'There is nothing to submit: standard input is not a terminal and has no lines. Run the command at a terminal, write each output as a line (a text, or JSON such as {"output": "…", "variables": {…}}), or name files with --output.',
    withNote: 'Write a note for the agent first',
    note: 'Note for the agent:',
    noteMissing: 'Write a note, or press Ctrl+C to stop here.',
    editorFailed: (editor: string, code: string) =>
      `The editor '${editor}' ended with ${code}. Set VISUAL or EDITOR to another editor.`,
    begun: (sid: string, workflow: string, event: string) => `Session ${sid} of ${workflow} was ${event}.`,
    ended: (sid: string, outcome: string) => `Session ${sid} is ${outcome}.`,
    left: (sid: string, at: string | undefined, command: string) =>
      `Session ${sid} is ${at === undefined ? 'at its start' : `at '${at}'`}. To resume it: ${command}`,
    undecided: (names: string) => `The next activity depends on these variables: ${names}.`,
    notAccepted: (step: string | undefined) => `Not accepted${step === undefined ? '' : `: ${step}`}`,
    fields: 'Fields, each as a label at the start of a line, or all of them as one JSON object:',
    field: (id: string, kind: string, description: string) =>
      `${id} (${kind})${description === '' ? '' : `: ${description}`}`,
    optional: (kind: string) => `${kind}, optional`,
    text: 'text',
    trueOrFalse: 'true or false',
    oneOf: (names: readonly string[]) => `one of ${names.join(', ')}`,
    listOf: (kind: string) => `list of: ${kind}`,
    objectWith: (names: readonly string[]) => `object with ${names.join(', ')}`,
  },

  terminal: {
    needsYes: (purpose: string) =>
      `Standard input is not a terminal, so nobody can confirm. Add --yes ${purpose}.`,
  },
} as const;
