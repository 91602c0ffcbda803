export const keyMessages = {
  none: (id: string) => `There is no key with the id '${id}'. See the keys: workflowlookup keys list`,
  noKeys: 'No keys.',
  revokedAt: (moment: string) => `revoked ${moment}`,
  expiredAt: (moment: string) => `expired ${moment}`,
  expiresAt: (moment: string) => `expires ${moment}`,
  notSealed: (id: string) => `not sealed: workflowlookup keys seal ${id}`,
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
} as const;
