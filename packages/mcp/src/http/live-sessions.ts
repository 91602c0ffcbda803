import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '@workflowlookup/core/sessions';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { createSigner } from '@workflowlookup/core/tokens';
import { createClientRequests, createBackendLink } from '../json-rpc/peers.ts';
import type { MessageSource } from '../json-rpc/connection.ts';
import { RpcConnection, WaitingCalls } from '../json-rpc/connection.ts';
import type { Decoded, DecodedText, RpcMessage, RpcReply } from '../json-rpc/rpc-messages.ts';
import { firstPrimedVersion, isRecord } from '../json-rpc/rpc-messages.ts';
import type { BackendLink } from '../json-rpc/peers.ts';
import type { MakeServer } from '../sdk/create-server.ts';
import { initializeResult } from '../server-info.ts';
import type { ToolRunner, ToolRunnerOptions } from '../tool-support/run-tool.ts';
import type { Services } from '../tool-support/tool.ts';
import type { EventStream } from './event-streams.ts';
import { SessionStreams } from './event-streams.ts';
import type { Accepted, Reply } from './requests.ts';
import { jsonReply, streamReply, acceptedReply } from './requests.ts';

/** What every replica knows about a legacy session from its id alone. */
export interface SessionFacts {
  /** 128 random bits. */
  readonly id: string;
  /** The negotiated protocol revision. */
  readonly version: string;
  /** Whether the client can ask its person questions. */
  readonly canElicit: boolean;
  /** When the session expires, in milliseconds since the epoch. */
  readonly untilMs: number;
}

/** Issues and reads the values of the header `Mcp-Session-Id`. */
interface SessionIds {
  issue(session: Pick<SessionFacts, 'version' | 'canElicit'>, principal: string): string;
  /** Returns the session, or `undefined` if the id is forged, expired or belongs to another principal. */
  read(signedId: string, principal: string): SessionFacts | undefined;
}

/** How long a session may last. */
const lifetimeMs = 7 * 24 * 3_600_000;

const maxLength = 512;

/** How many verified ids are kept. */
const maxVerified = 10_000;

/** Creates the session ids for these keys: every replica with the keys can serve a session. */
export function createSessionIds(keys: KeyRing, now: () => number): SessionIds {
  const signer = createSigner(keys, 'mcp-session');
  // A client sends its id with each request, and verifying it takes a tenth of the time of a call.
  const verified = new Map<string, { readonly facts: SessionFacts; readonly principal: string }>();
  let { verifying } = keys;

  /** Returns what an id says, or `undefined` if it is forged or belongs to another principal. */
  function verify(signedId: string, principal: string): SessionFacts | undefined {
    // An id that a removed key signed is no longer valid.
    if (keys.verifying !== verifying || verified.size > maxVerified) verified.clear();
    ({ verifying } = keys);
    const known = verified.get(signedId);
    if (known?.principal === principal) return known.facts;
    const found = signedId.length > maxLength ? undefined : signer.verify(signedId);
    if (!isRecord(found) || found['of'] !== principalDigest(principal)) return undefined;
    const { id, version, canElicit, untilMs } = found as unknown as SessionFacts;
    const facts = { id, version, canElicit, untilMs };
    verified.set(signedId, { facts, principal });
    return facts;
  }

  return {
    issue({ version, canElicit }, principal) {
      const id = randomBytes(16).toString('base64url');
      const facts = { id, version, canElicit, untilMs: now() + lifetimeMs };
      return signer.sign({ ...facts, of: principalDigest(principal) });
    },
    read(signedId, principal) {
      const facts = verify(signedId, principal);
      return facts === undefined || facts.untilMs <= now() ? undefined : facts;
    },
  };
}

function principalDigest(principal: string): string {
  return createHash('sha256').update(principal).digest('base64url').slice(0, 22);
}

/** The ids of sessions that were ended before they expired. */
export interface RevokedIds {
  /** Adds an id, which is kept until a time; ISO 8601. */
  revokeId(id: string, until: string): Promise<void>;
  /** Returns whether an id was added. */
  isRevoked(id: string): Promise<boolean>;
}

/** Creates a store that keeps the ids in this process. */
export function createRevokedIds(now: () => number): RevokedIds {
  const ends = new Map<string, number>();
  return {
    revokeId(id, until) {
      for (const [old, end] of ends) if (end <= now()) ends.delete(old);
      ends.set(id, Date.parse(until));
      return Promise.resolve();
    },
    isRevoked: (id) => Promise.resolve(ends.has(id)),
  };
}

/** A legacy session on this replica: its connection, its streams and its requests in progress. */
export class LiveSession {
  readonly #version: string;
  readonly #connection: RpcConnection;
  readonly #backend: BackendLink;
  readonly #streams: SessionStreams;
  readonly #inProgress = new Set<Promise<void>>();

  /** Opens a session on this replica, even if another one answered `initialize`. */
  constructor(
    { version, canElicit }: SessionFacts,
    { principal }: Caller,
    shared: SharedOptions & { onShutdown(): void },
  ) {
    const streams = new SessionStreams((change) => shared.onReaderChange(principal, change));
    const announce = (message: RpcMessage): void => streams.announce(message);
    const waiting = new WaitingCalls();
    const backend = createBackendLink(async (transport) => {
      const { openBackend } = await import('../sdk/create-server.ts');
      return openBackend(transport, { ...shared, services: () => shared.services({ principal }), waiting });
    }, announce);
    const clientInfo = { name: 'unknown', version: '0.0.0' };
    const capabilities = canElicit ? { elicitation: { form: {} } } : {};
    const opening = { protocolVersion: version, capabilities, clientInfo };
    backend.send({ jsonrpc: '2.0', id: 'front-door/initialize', method: 'initialize', params: opening });
    backend.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    this.#version = version;
    this.#streams = streams;
    this.#backend = backend;
    this.#connection = new RpcConnection({
      ...shared,
      backend,
      waiting,
      client: createClientRequests(announce),
      phase: { kind: 'legacy', version, canElicit },
      inOrder: false,
      introduce: (asked) => initializeResult(asked, shared.identity, shared.tools),
      onToolsListed: () => undefined,
    });
  }

  /** Whether the session has no request in progress and no stream with a reader, so that it can be closed. */
  get isIdle(): boolean {
    return this.#inProgress.size === 0 && this.#streams.readerCount === 0;
  }

  /**
   * Handles the message of a POST request. The reply is one JSON body, or a stream if the server sends other messages first
   * or has to wait for a person.
   */
  post(decoded: DecodedText, caller: Caller, accepted: Accepted): Promise<Reply> {
    if (!needsReply(decoded)) {
      void this.#connection.receiveDecoded(decoded, { caller });
      return Promise.resolve(acceptedReply);
    }
    return this.#answer(decoded, caller, accepted);
  }

  #answer(decoded: DecodedText, caller: Caller, accepted: Accepted): Promise<Reply> {
    return new Promise((resolve, reject) => {
      let stream: EventStream | undefined;
      const openStream = (): EventStream => {
        if (stream === undefined) {
          stream = this.#primed(this.#streams.open());
          resolve(streamReply(stream.read()));
        }
        return stream;
      };
      if (!accepted.json) openStream();
      const sender: MessageSource = {
        caller,
        canAskPerson: accepted.stream,
        ...(accepted.stream && {
          write: (message) => openStream().write(message),
          onWait: () => void openStream(),
        }),
      };
      const run = async (): Promise<void> => {
        const answer = await this.#connection.receiveDecoded(decoded, sender);
        if (stream === undefined) resolve(replyOf(answer, decoded));
        else finish(stream, answer);
      };
      const running = run().catch(reject);
      this.#inProgress.add(running);
      void running.finally(() => this.#inProgress.delete(running));
    });
  }

  #primed(stream: EventStream): EventStream {
    if (this.#version >= firstPrimedVersion) stream.prime();
    return stream;
  }

  /** Opens a stream for messages that belong to no request, or resumes an interrupted stream. */
  listen(lastEventId: string | null): Reply {
    const rest = lastEventId === null ? undefined : this.#streams.resume(lastEventId);
    if (rest !== undefined) return streamReply(rest);
    return streamReply(this.#primed(this.#streams.listen()).read());
  }

  /** Ends the calls that wait for a person, and each later one as soon as it would wait. */
  endWaiting(): void {
    void this.#connection.drain();
  }

  /** Waits for the requests in progress, then ends the streams and closes the session. */
  async close(): Promise<void> {
    await this.#connection.drain();
    await Promise.all(this.#inProgress);
    this.#streams.end();
    await this.#backend.close();
  }
}

type Answer = RpcReply | readonly RpcReply[] | undefined;

function needsReply(decoded: DecodedText): boolean {
  const asks = ({ kind }: Decoded): boolean => kind === 'request' || kind === 'invalid';
  // A batch always gets a reply, because the connection may refuse it as a whole.
  return decoded.kind === 'batch' || asks(decoded);
}

function replyOf(answer: Answer, decoded: DecodedText): Reply {
  if (answer === undefined) return acceptedReply;
  const isRefused = decoded.kind === 'invalid' || (decoded.kind === 'batch' && !Array.isArray(answer));
  return jsonReply(answer, isRefused ? 400 : 200);
}

function finish(stream: EventStream, answer: Answer): void {
  for (const reply of answer === undefined ? [] : [answer].flat()) stream.write(reply);
  stream.end();
}

/** How long an unused session is kept. */
const idleMs = 600_000;

/** The legacy sessions that are open on this replica. A closed one can be opened again from its id. */
export class LiveSessions {
  readonly #sessions = new Map<string, { readonly session: LiveSession; usedMs: number }>();
  readonly #max: number;
  readonly #now: () => number;

  constructor(max: number, now: () => number) {
    this.#max = max;
    this.#now = now;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Returns the session, which `make` opens if it is not open. Returns `undefined` if there are too many. */
  getOrOpen({ id }: SessionFacts, make: () => LiveSession): LiveSession | undefined {
    const found = this.#sessions.get(id);
    const usedMs = this.#now();
    if (found === undefined && !this.#hasRoom(usedMs)) return undefined;
    const session = found?.session ?? make();
    // The map stays in the order of last use.
    this.#sessions.delete(id);
    this.#sessions.set(id, { session, usedMs });
    return session;
  }

  async closeSession(id: string): Promise<void> {
    const found = this.#sessions.get(id);
    this.#sessions.delete(id);
    await found?.session.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.closeSession(id)));
  }

  /** Closes idle sessions that have expired and, if there are still too many, the least recently used idle one. */
  #hasRoom(nowMs: number): boolean {
    const quiet = [...this.#sessions].filter(([, { session }]) => session.isIdle);
    const old = quiet.filter(([, { usedMs }]) => usedMs < nowMs - idleMs);
    const surplus = this.#sessions.size - this.#max + 1;
    for (const [id] of quiet.slice(0, Math.max(old.length, surplus))) void this.closeSession(id);
    return this.#sessions.size < this.#max;
  }
}

export interface SharedOptions extends Pick<ToolRunnerOptions, 'identity' | 'onError' | 'tools'> {
  /** Creates the SDK's server; by default this product's server. */
  readonly makeServer: MakeServer | undefined;
  toolRunner(): Promise<ToolRunner>;
  services(caller: Caller): Services;
  /** Called with 1 when a stream gets a reader and with -1 when it loses it. */
  onReaderChange(principal: string, change: 1 | -1): void;
}
