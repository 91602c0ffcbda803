// The second half of the demo. In a session, the server refuses to let the agent skip an activity or approve its own
// work.
const workflowId = 'security-audit';
const beyond = 'review';
const gate = 'permission';

/** The outputs that the agent submits for the first activity, by step. */
const outputs = {
  'name-scope': {
    target: 'shop at commit 4f1c9e2',
    inScope: ['web and worker'],
    outOfScope: ['the payment provider, not ours'],
    worstDay: 'all addresses of customers are published',
    owner: 'Ann, who gets the report',
    limits: 'staging only, with the account "audit"',
    summary: 'Web and worker; staging may be attacked.',
    size: 'large',
    wantsTesting: true,
  },
};

/**
 * Starts a session and continues until a person must decide.
 *
 * @param {{ call(name: string, args: object): Promise<{ isError: boolean, text: string }> }} connection
 * @param {(line: string) => void} print
 */
export async function showSession(connection, print) {
  let token;

  async function ask(name, args = {}) {
    const shown = token === undefined ? args : { session_token: token, ...args };
    const answer = await connection.call(name, shown);
    if (!answer.isError) token = JSON.parse(answer.text).session_token;
    return answer;
  }

  async function done(name, args) {
    const answer = await ask(name, args);
    if (answer.isError) throw new Error(`${name}: ${answer.text}`);
    return JSON.parse(answer.text);
  }

  async function refused(name, args) {
    const answer = await ask(name, args);
    if (!answer.isError) throw new Error(`${name} was not refused: ${answer.text}`);
    print(`    Refused: ${answer.text.replaceAll('\n', '\n    ')}`);
  }

  print(`\nA session on '${workflowId}': the server holds where it stands, and this workflow is strict.`);
  await done('start_session', { agent_id: 'demo', workflow_id: workflowId });
  const { activity_id: first } = await done('next_activity');
  print(`\n  The agent is at '${first}' and skips ahead to '${beyond}'.`);
  await refused('next_activity', { activity_id: beyond });

  const step_manifest = Object.entries(outputs).map(([step_id, output]) => ({ step_id, output }));
  const { activity_id: second } = await done('next_activity', { step_manifest });
  print(`\n  It does the steps, enters '${second}', stops at its checkpoint and approves that itself.`);
  await done('yield_checkpoint', { checkpoint_id: gate });
  await refused('respond_checkpoint', { option_id: 'read-only' });

  const { status, next } = await done('get_workflow_status');
  const waiting = next.find(({ waits_for }) => waits_for !== undefined);
  print(`\n  The session is ${status}; '${waiting.checkpoint_id}' waits for a ${waiting.waits_for}.`);
}
