/** A call of the script. By default it gets the latest token of the session. */
interface ScriptedCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The outcome of a call, in the same form for each protocol. */
export interface Outcome {
  readonly isError: boolean;
  /** The text for the model, or the message of a refusal. */
  readonly text: string;
  /** The structured content, if the tool has one. */
  readonly data?: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Makes one call. */
export type Caller = (name: string, args: Readonly<Record<string, unknown>>) => Promise<Outcome>;

const report = (step_id: string, output: string): object => ({ step_id, output });

/** Valid and failing calls of the tools without a session. */
const lookups: readonly ScriptedCall[] = [
  { name: 'workflow_list' },
  { name: 'workflow_get', args: { id: 'change-review' } },
  { name: 'workflow_get', args: { id: 'nowhere' } },
  { name: 'workflow_next', args: { workflowId: 'change-review', completedSteps: [] } },
  { name: 'workflow_validate', args: { workflowId: 'change-review', stepId: 'write-review', output: 'x' } },
  { name: 'workflow_validate_json', args: { workflowJson: '{' } },
];

/** The output of `name-scope`, the first step of security-audit. */
export const auditScope = {
  target: 'shop at commit 4f1c9e2',
  inScope: ['web and worker'],
  outOfScope: ['the payment provider, not ours'],
  worstDay: 'all addresses of customers are published',
  owner: 'Ann, who gets the report',
  limits: 'staging only, with the account "audit"',
  summary: 'Web and worker; staging may be attacked.',
  size: 'large',
  wantsTesting: true,
};

/** Valid and failing calls in a session of a bundled workflow, up to a checkpoint that only a person may answer. */
const audit: readonly ScriptedCall[] = [
  { name: 'discover' },
  { name: 'list_workflows' },
  { name: 'start_session', args: { agent_id: 'a', workflow_id: 'nowhere' } },
  { name: 'start_session', args: { agent_id: 'a', workflow_id: 'security-audit' } },
  { name: 'get_activity' },
  { name: 'get_workflow' },
  { name: 'get_workflow', args: { summary: false } },
  { name: 'get_skills' },
  { name: 'next_activity' },
  { name: 'get_activity' },
  { name: 'get_skill', args: { step_id: 'nowhere' } },
  { name: 'get_resource', args: { resource_id: '01' } },
  { name: 'get_resource', args: { resource_id: '99' } },
  { name: 'resolve_operations', args: { operations: ['workflow-engine::yield-checkpoint', 'none::none'] } },
  { name: 'next_activity', args: { activity_id: 'review' } },
  { name: 'yield_checkpoint', args: { checkpoint_id: 'nowhere' } },
  {
    name: 'next_activity',
    args: {
      step_manifest: [
        {
          step_id: 'name-scope',
          output: auditScope,
        },
      ],
    },
  },
  { name: 'yield_checkpoint', args: { checkpoint_id: 'permission' } },
  { name: 'get_activity' },
  { name: 'present_checkpoint' },
  { name: 'respond_checkpoint', args: { option_id: 'read-only' } },
  { name: 'resume_checkpoint' },
  { name: 'get_workflow_status' },
  { name: 'start_session', args: { agent_id: 'b', session_token: 'wl_nothing' } },
  { name: 'get_trace' },
];

/** The calls of a complete session on `relay`, with a checkpoint that the agent answers. */
const relay: readonly ScriptedCall[] = [
  { name: 'start_session', args: { agent_id: 'a', workflow_id: 'relay' } },
  { name: 'next_activity' },
  { name: 'yield_checkpoint', args: { checkpoint_id: 'hand-over' } },
  { name: 'present_checkpoint' },
  { name: 'respond_checkpoint', args: { option_id: 'over' } },
  { name: 'resume_checkpoint' },
  { name: 'next_activity', args: { activity_id: 'back', step_manifest: [report('run-there', 'Ran')] } },
  {
    name: 'next_activity',
    args: { activity_id: 'end', step_manifest: [report('run-back', 'Ran')], variables: { done: true } },
  },
  { name: 'next_activity' },
  { name: 'get_workflow_status' },
  { name: 'health_check' },
];

const script = [...lookups, ...audit, ...relay];

/** Names of the tools that are called without a token. */
const withoutToken = new Set([
  ...lookups.map(({ name }) => name),
  'discover',
  'list_workflows',
  'start_session',
  'health_check',
]);

/** The names of the tools that the script calls. */
export const scriptedTools: readonly string[] = [...new Set(script.map(({ name }) => name))];

/** Makes the calls of the script. Returns their outcomes, with placeholders for values that differ each time. */
export async function playScript(call: Caller): Promise<readonly object[]> {
  const outcomes: object[] = [];
  let token: unknown;
  for (const { name, args = {} } of script) {
    const shown = withoutToken.has(name) ? args : { session_token: token, ...args };
    const outcome = await call(name, shown);
    token = outcome.meta['session_token'] ?? token;
    outcomes.push({ name, ...(JSON.parse(nameless(JSON.stringify(outcome))) as object) });
  }
  return outcomes;
}

/** Replaces ids, tokens, times and the instructions for people, which differ between sessions and servers. */
function nameless(text: string): string {
  return text
    .replaceAll(/wl_[\w-]{39,}/g, '<token>')
    .replaceAll(/("trace_token":")[^"]+/g, '$1<trace>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/(\\?"(?:ms|uptime_seconds|waiting)\\?":)\d+/g, '$10')
    .replaceAll(/\b[0-9a-f]{20}\b/g, '<session>')
    .replaceAll(/\b[0-9a-f]{16}\b/g, '<span>')
    .replaceAll(answeredBy, '<way to answer>');
}

/** Matches the text of a server that says where a person answers. In TOON, a part of it is in quotes. */
const answeredBy =
  /(?:\\")?(?:workflowlookup sessions respond <session>(?: --state [^\s"\\]+)?(?:, on the machine [^"\n\\]* started with)?|another credential, which has the scope checkpoints:respond, in the console or by respond_checkpoint \(session <session>\))(?:\\")?/g;
