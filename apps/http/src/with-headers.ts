/** Headers beside those a response has. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** Sets headers of a response, and gives it back. */
export function withHeaders(response: Response, extra: ExtraHeaders): Response {
  for (const [name, value] of Object.entries(extra)) response.headers.set(name, value);
  return response;
}
