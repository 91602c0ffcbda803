import type { Caller } from '@workflowlookup/core';
import { createBackendLink } from '../front-door/backend-link.ts';
import { createClientRequests } from '../front-door/client-requests.ts';
import { FrontDoor } from '../front-door/front-door.ts';
import type { VersionPolicy } from '../front-door/lifecycle.ts';
import type { MakeServer } from '../sdk/create-server.ts';
import type { ServerIdentity } from '../introduction.ts';
import { introduce } from '../introduction.ts';
import type { ToolDesk } from '../tool-desk.ts';
import type { Services, Tool } from '../tools/tool.ts';
import { WaitingCalls } from '../waiting-calls.ts';
import { LiveSession } from './live-session.ts';
import type { SessionFacts } from './session-pass.ts';
import { SessionStreams } from './session-streams.ts';

/** What every live session of a handler shares. */
export interface SharedParts extends VersionPolicy {
  readonly tools: readonly Tool[];
  readonly toolNames: ReadonlySet<string>;
  readonly identity: ServerIdentity;
  /** Default this product's server. */
  readonly makeServer: MakeServer | undefined;
  desk(): Promise<ToolDesk>;
  services(caller: Caller): Promise<Services>;
  onError(error: unknown): void;
  /** Told when a stream gets a reader and when it loses it. */
  onOutlet(principal: string, change: 1 | -1): void;
}

/** Makes a session live: it goes on where `initialize` left it, whichever replica answered that. */
export function openLiveSession(
  { version, canElicit }: SessionFacts,
  { principal }: Caller,
  shared: SharedParts & { onShutdown(): void },
): LiveSession {
  const { identity, tools, services, onError, makeServer } = shared;
  const streams = new SessionStreams((change) => shared.onOutlet(principal, change));
  const waiting = new WaitingCalls();
  const backend = createBackendLink(
    async (transport) => {
      const { openBackend } = await import('../sdk/open-backend.ts');
      const own = (): Promise<Services> => services({ principal });
      return openBackend(transport, { services: own, tools, identity, waiting, onError, makeServer });
    },
    (message) => streams.announce(message),
  );
  const clientInfo = { name: 'unknown', version: '0.0.0' };
  const capabilities = canElicit ? { elicitation: { form: {} } } : {};
  const opening = { protocolVersion: version, capabilities, clientInfo };
  backend.tell({ jsonrpc: '2.0', id: 'front-door/initialize', method: 'initialize', params: opening });
  backend.tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const door = new FrontDoor({
    ...shared,
    backend,
    waiting,
    client: createClientRequests((message) => streams.announce(message)),
    phase: { kind: 'legacy', version, canElicit },
    inOrder: false,
    introduce: (asked) => introduce(asked, identity, tools),
    onToolsListed: () => undefined,
  });
  return new LiveSession({ version, door, backend, streams });
}
