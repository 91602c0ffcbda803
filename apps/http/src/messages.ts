import { idInCommand } from '@workflowlookup/schema';

// Every message of this server that a person or an agent reads, by topic, except `--help` and the log. A message says what
// is wrong with the value found, what is expected, and what to do next. `test/messages.test.ts` has a snapshot of all.

/** The command line. Texts about one option end without a full stop, like those of the package host. */
export const optionMessages = {
  refused: (reason: string) => `${reason}\nTo see all options, run: workflowlookup-http --help`,

  wrongNumber: (flag: string, most: number, found: string | undefined) =>
    `--${flag} must be a whole number from 0 to ${most}, found '${found}'`,
  wrongProxy: (found: string) =>
    `--trusted-proxy must be an address or a range such as 10.0.0.0/8, found '${found}'`,
  wrongUrl: (flag: string, found: string) =>
    `--${flag} must be an https URL, or an http URL of this machine, found '${found}'`,

  wrongAuth: (found: string) => `--auth must be none, open, keys or oauth, found '${found}'`,
  authNotAlone: (kind: string) => `--auth ${kind} can't be combined with another --auth`,
  needsAuth: (address: string) =>
    `${reachable(address)}. Choose with --auth keys or --auth oauth who can connect`,
  needsHosts: (address: string) =>
    `${reachable(address)}. Name the host names that clients use with --allowed-host`,
  oauthIncomplete: () => '--auth oauth needs --oauth-issuer and --public-url',
  wrongTokenType: (found: string) => `--oauth-typ must be at+jwt or any, found '${found}'`,

  // An address may hold a secret, so it is not repeated.
  wrongWebhook: () => '--webhook must be an https URL, or an http URL of this machine',
  noWebhookSecret: (variable: string) =>
    `--webhook needs ${variable}: 24 random bytes or more in base64, as 'openssl rand -base64 32' prints`,
  wrongEndpoint: (variable: string) => `${variable} must be an http or https URL`,
  wrongProtocol: (variable: string, found: string | undefined) =>
    `${variable} must be http/json, because traces are sent as JSON over HTTP, found '${found}'`,

  wrongKeysAction: () => "'keys' must be followed by create, list or revoke ID",
  jsonOnlyForList: () => '--json works only with keys list',
  keyIncomplete: () => 'keys create needs --principal and at least one --scope',
  revoked: (id: string) => `Revoked ${id}`,
  // The columns of `keys list`
  createdAt: (at: string) => `created ${at}`,
  expiresAt: (at: string, isPast: boolean) => `${isPast ? 'expired' : 'expires'} ${at}`,
  revokedAt: (at: string) => `revoked ${at}`,
  notSealed: (id: string) => `not sealed: workflowlookup keys seal ${idInCommand(id)}`,
  noKey: (id: string) =>
    `There is no key with the id '${id}'. To see the keys, run: workflowlookup-http keys list`,

  portInUse: (port: number, address: string) =>
    `port ${port} of ${address} is already in use. Choose another one with --port`,
  portForbidden: (port: number, address: string) =>
    `this user can't open port ${port} of ${address}. Choose one above 1023 with --port`,
  portFailed: () => "the port can't be opened",
} as const;

const reachable = (address: string): string => `Other machines can reach --host ${address}`;

/**
 * Credentials. These texts are the `error_description` of RFC 6750, so they have only ASCII characters and no full stop
 * at the end.
 */
export const credentialMessages = {
  notOneBearer: () => 'The Authorization header must have exactly one bearer credential',
  unknown: () => 'This server does not know the credential',
  overMeanwhile: () => 'The credential expired or was revoked while the call was waiting',
  lacksScope: (scopes: string) => `The credential lacks one of these scopes: ${scopes}`,

  unknownKey: () => 'This server does not know the API key',
  unsealedKey: (id: string) => `The API key ${id} was not made with the keys of this server: use another one`,
  /** @param reason completes a sentence about the key */
  refusedKey: (id: string, reason: string) => `The API key ${id} ${reason}: use another one`,

  expired: () => 'The token has expired',
  wrongSignature: () => 'The token is not signed by its issuer',
  noSubject: () => 'The token names no subject',
  idToken: () => 'The token is an ID token: send an access token',
  bound: () =>
    'The token is bound to a key of its sender (cnf), which this server does not verify: send a bearer token',
  notAnAccessToken: () => 'The token is not an access token: its header must say typ at+jwt (RFC 9068)',
  noClaim: (claim: string) => `The token has no valid ${claim}, which an access token must have (RFC 9068)`,
  otherServer: () => 'The token has another issuer or audience than this server expects',
  notValid: () => 'The token is not valid',

  noIssuerKeys: () => 'The authorization server publishes no metadata that names its keys',
  newIssuerKey: () => 'The token was signed with a key that is not known yet',
} as const;

/** Limits of a principal. The first four are `error_description` too. */
export const limitMessages = {
  largeBody: (bytes: number, calls: number) =>
    `A body of ${bytes} bytes counts as ${calls} calls, and fewer are left now`,
  batchOverBurst: (calls: number, most: number) =>
    `A batch of ${calls} calls is larger than the ${most} calls that may come at once: send smaller batches`,
  batchOverShare: (calls: number) =>
    `A batch of ${calls} calls is larger than the number of calls that may run at the same time: send smaller batches`,
  batchOverRate: (calls: number) => `A batch counts as its ${calls} calls, and fewer are left now`,

  sessionsTooFast: (principal: string, limit: number, waitSeconds: number) =>
    `'${principal}' has started ${limit} sessions within a minute, which is the limit. Start the next one in ${waitSeconds} s, or continue one with its session_token.`,
  tooManySessions: (principal: string, open: number, limit: number) =>
    `'${principal}' has ${open} open sessions, and ${limit} are allowed. Continue one with its session_token, or complete some. An operator can delete abandoned ones with "workflowlookup sessions prune --status active --before 30d".`,
} as const;

/** The address of `/mcp`, the people who answer, and messages to them. */
export const addressMessages = {
  wrongToken: () =>
    'The address has no token, or a wrong one. Use the address that the server printed when it started; "workflowlookup address" prints it again.',
  /** Completes "A human can answer it with: …". */
  humanAnswersWith: (sid: string) =>
    `another credential, which has the scope checkpoints:respond, in the console or by respond_checkpoint (session ${sid})`,
  databaseSilent: () => 'The database does not answer. Try again in a moment.',

  webhookGone: () => 'The webhook answered with 410: it does not want messages',
  webhookRefused: (status: number) => `The webhook answered with ${status}`,
  webhookBusy: (most: number) => `${most} messages to the webhook are under way, so one was left out`,
} as const;

/** Requests to the console, and signing in to it. */
export const requestMessages = {
  serverFailed: () => 'The server failed. Its log has the cause.',
  tooMany: (waitSeconds: number) => `Too many attempts. Try again in ${waitSeconds} s.`,

  bodyTooLarge: (most: number) =>
    `The body is too large: at most ${most} bytes are allowed here. Send a smaller one.`,
  bodyTooLate: (seconds: number) => `The body did not arrive within ${seconds} s. Send the request again.`,
  bodyTooDeep: (most: number) => `The body is nested more than ${most} levels deep. Send a flatter one.`,
  tooManyValues: (most: number) =>
    `The body has more than ${most} values. Send a smaller definition, context or list of criteria.`,
  /** @param problem in the words of Zod, without a full stop */
  notValid: (part: 'body' | 'query', path: string, problem: string) =>
    `The ${part} is not valid${path === '' ? '' : ` at '${path}'`}: ${problem}.`,

  otherSite: () => 'The request comes from another site. Open the console of this server.',
  otherOrigin: () => 'The request comes from a page of another origin. Open the console of this server.',
  noRoute: () => 'The console has no such route. Check the address.',
  noPage: () => 'The console has no such page. Open /console to begin.',
  notBuilt: () => 'The console is not built. Build it, then load this page again.',

  notSignedIn: () => 'You are not signed in. Sign in first.',
  wrongSignIn: () => 'The API key or sign-in link is not valid here. Check it, or create a new one.',
  /** @param reason a sentence about the API key, without a full stop */
  refusedSignIn: (reason: string) => `${reason}.`,
  issuerRefused: () => 'The authorization server did not sign you in. Try again.',
} as const;

/** Evidence that is collected elsewhere. */
export const evidenceMessages = {
  passedWithReasons: () => 'a result that passed has no reasons',
  mayNotReport: () =>
    'Reporting evidence requires the scope checkpoints:respond, because it counts as what a person saw. Use the API key of a person, or submit a statement that CI signed.',
  noSignIn: () =>
    'This server asks nobody to sign in, so it accepts no evidence from elsewhere. Start it with --auth keys.',
} as const;

/** Sessions and definitions in the console. */
export const consoleMessages = {
  noSession: () => 'There is no such session. Read /console/api/sessions for the list of sessions.',
  noCheckpoint: () =>
    'This session waits at no checkpoint. Read /console/api/checkpoints for the list of checkpoints that need an answer.',
  sessionUnreadable: (sid: string) =>
    `Session '${sid}' can't be read. Look at it with "workflowlookup sessions verify ${idInCommand(sid)}".`,
  notExported: (sid: string, problem: string) =>
    `The session can't be exported. ${problem} Look at it with "workflowlookup sessions verify ${idInCommand(sid)}".`,
  mayNotRespond: (action: 'answer' | 'park') =>
    `${action === 'answer' ? 'Answering a checkpoint' : 'Parking a session'} requires the scope checkpoints:respond. Use an API key with this scope.`,
  databaseFailed: () => "The database can't be opened. The log of the server says why.",

  mayNotRead: (source: string, file: string) =>
    `'${file}' is not part of a workflow that the source '${source}' serves. Reading it requires the scopes write and checkpoints:respond.`,
  mayNotReview: () =>
    'Agents are not shown this definition, because no person has trusted it. Looking at it and trusting it requires the scopes write and checkpoints:respond.',
  mayNotSave: () =>
    'Saving a definition requires the scopes write and checkpoints:respond, and a source that the server was started with as --writable.',
  badCursor: () => "'cursor' must be the 'next' of the previous page. Leave it out for the first page.",
  noVersion: () => 'This version of the file is not kept any more. Load the list of versions again.',
  nothingToTrust: (source: string, file: string) =>
    `'${file}' of the source '${source}' is not waiting to be trusted, or it can't be read. Load the list of definitions again.`,
  changedSinceShown: (file: string) =>
    `'${file}' was changed after it was shown. Look at it again before you trust it.`,
  notTrustable: (file: string) =>
    `'${file}' can't be trusted, because it has errors, hidden characters or the id 'meta'. Correct it first.`,
  mayNotTrustChecks: () =>
    'Looking at the checks of a project and trusting them requires the scopes write and checkpoints:respond. A credential of an agent must not have both.',
  runsNoChecks: () =>
    'This server runs no checks, so nobody can trust any here. A server runs checks only in the folder of a project, on the machine of its user, and without sign-in. There, run "workflowlookup checks trust" in the folder of the project.',
  noChecks: (folder: string) =>
    `The console lists no project with checks in '${folder}'. Load the list of projects again.`,
  checksChangedSinceShown: (folder: string) =>
    `The checks of '${folder}', or files that they name under also_trust, were changed after they were shown. Look at them again before you trust them.`,
  replaces: (file: string, source: string, id: string) =>
    `'${file}' replaces the ${source} workflow '${id}'. To agree to that, send replaces: "${id}".`,
} as const;
