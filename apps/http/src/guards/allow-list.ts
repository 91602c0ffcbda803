/** Names by which this machine calls itself. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Which hosts a request may be sent to, and which pages may send one. */
export interface AllowList {
  /** Whether the server answers to this value of `Host`. */
  allowsHost(host: string): boolean;
  /** Whether a page of this origin may send requests. */
  allowsOrigin(origin: string): boolean;
}

/** What is allowed beside loopback names. */
export interface AllowListOptions {
  /** Names, with a port where only that one counts. */
  readonly hosts: readonly string[];
  /** Whole origins, such as `https://console.example.com`. */
  readonly origins: readonly string[];
  /** Whether pages of this machine may send requests. */
  readonly loopbackOrigins: boolean;
}

/** Makes the lists. Both keep a page that a browser was lured to from speaking to the server. */
export function createAllowList({ hosts, origins, loopbackOrigins }: AllowListOptions): AllowList {
  const names = new Set([...loopbackNames, ...hosts.map((host) => host.toLowerCase())]);
  const pages = new Set(origins.map((origin) => origin.toLowerCase()));
  const allowsHost = (host: string): boolean => {
    const whole = host.toLowerCase();
    return names.has(whole) || names.has(whole.replace(/:\d{1,5}$/, ''));
  };
  return {
    allowsHost,
    allowsOrigin(origin) {
      if (pages.has(origin.toLowerCase())) return true;
      const name = loopbackOrigins
        ? /^https?:\/\/([^/:]+|\[::1\])(?::\d{1,5})?$/i.exec(origin)?.[1]
        : undefined;
      return name !== undefined && loopbackNames.includes(name.toLowerCase());
    },
  };
}

/** Whether an address can only be reached from this machine. */
export function isLoopback(address: string): boolean {
  return loopbackNames.includes(address) || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);
}
