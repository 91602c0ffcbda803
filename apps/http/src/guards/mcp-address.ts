import type { KeyRing } from '@workflowlookup/core';
import { addressTokenOf, isAddressToken } from '@workflowlookup/host';

/** The route without a token. */
const route = '/mcp';

/** Where clients find `/mcp`. */
export interface McpAddress {
  /** From the root of the server, with the token where there is one. @throws STORAGE where the keys can't be used */
  path(): string;
  /** Why a request for a path under `/mcp` is not served; `undefined` for the address itself. */
  refuse(path: string): Response | undefined;
}

/**
 * Makes it. Where nobody needs a credential, the address has a token made from these keys: a page in the user's browser,
 * or another program that only knows the port, can't open an MCP session. Without keys the address is the route.
 */
export function createMcpAddress(keys: (() => KeyRing) | undefined): McpAddress {
  if (keys === undefined)
    return {
      path: () => route,
      refuse: (path) => (path === route ? undefined : Response.json({ error: 'not_found' }, { status: 404 })),
    };
  return {
    path: () => `${route}/${addressTokenOf(keys())}`,
    refuse(path) {
      if (isAddressToken(keys(), path.slice(route.length + 1))) return undefined;
      // Not 401: clients would look for an authorization server.
      const message =
        'The address lacks its token or has another one. Use the address that the server printed when it started; `workflowlookup address` prints it again.';
      return Response.json({ error: 'address_token_required', message }, { status: 403 });
    },
  };
}

/** Whether a path is that of the route, whatever token it has. */
export function isMcpPath(path: string): boolean {
  return path === route || /^\/mcp\/[\w-]{1,128}$/.test(path);
}
