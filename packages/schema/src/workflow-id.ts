/** Whether a text is a well-formed workflow id: 3 to 64 lowercase letters, digits and dashes, with at most one namespace before a dot. */
export function isWorkflowId(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text.length >= 3 &&
    text.length <= 64 &&
    /^[a-z0-9-]+(\.[a-z0-9-]+)?$/.test(text)
  );
}
