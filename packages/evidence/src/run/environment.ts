/** Names of variables that hold secrets, or that change how `git` and programs on Node.js behave. */
const withheld =
  /^(WORKFLOWLOOKUP_|WORKFLOW_|GIT_|PG|DATABASE_URL$|NODE_OPTIONS$|LD_PRELOAD$)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|_DSN$/i;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment that a command gets: that of the server without what looks like a secret, and without the
 * options of the server. `allowed` names variables that a check needs all the same; those of the server stay out.
 */
export function commandEnvironment(
  environment: Environment,
  allowed: readonly string[] = [],
): Record<string, string> {
  const isPassed = (name: string): boolean =>
    !withheld.test(name) || (allowed.includes(name) && !/^WORKFLOWLOOKUP_/i.test(name));
  const passed = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || !isPassed(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(passed), CI: environment['CI'] ?? 'true', NO_COLOR: '1' };
}
