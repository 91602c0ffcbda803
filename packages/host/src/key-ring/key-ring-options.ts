/** Where the keys of tokens are, or come from. */
export interface KeyRingOptions {
  /** Absolute path; made when a key is, readable by its owner alone. */
  readonly stateDirectory: string;
  /** Variables of the process; its `WORKFLOWLOOKUP_KEYS` stands in for the state directory. Default none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Gives random bytes, as many as asked for; default those of the system. */
  readonly random?: (length: number) => Uint8Array;
}

/** The variable that gives replicas the same keys: 64 hexadecimal digits each, commas between, the signing one first. */
export const keysVariable = 'WORKFLOWLOOKUP_KEYS';
