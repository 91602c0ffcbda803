/** A call of the script; its token is the newest one of the session unless it says otherwise. */
interface ScriptedCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** What came of a call, whichever way it was made. */
export interface Outcome {
  readonly isError: boolean;
  /** What a model reads; of a refusal its message. */
  readonly text: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Makes one call. */
export type Caller = (name: string, args: Readonly<Record<string, unknown>>) => Promise<Outcome>;

const withoutToken = new Set(['discover', 'list_workflows', 'start_session', 'health_check']);
const report = (step_id: string, output: string): object => ({ step_id, output });

/** A session on a bundled workflow, right and wrong calls of every session tool. */
const script: readonly ScriptedCall[] = [
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
        report('name-target', 'Target: shop at 4f1c9e2\nOut: the payment provider'),
        report('name-stakes', 'Worst day: all addresses are published'),
        report('name-permission', 'Owner: Ada\nMay be attacked: nothing\nReport to: Ada'),
      ],
      variables: { target: 'shop at 4f1c9e2', scopeSummary: 'The shop.' },
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

/** Goes through the script, and gives what came of each call, without what has to differ. */
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

/** Ids, tokens and times differ from session to session. */
function nameless(text: string): string {
  return text
    .replaceAll(/wl_[\w-]{40,}/g, '<token>')
    .replaceAll(/("trace_token":")[^"]+/g, '$1<trace>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/(\\?"ms\\?":)\d+/g, '$10')
    .replaceAll(/\b[0-9a-f]{20}\b/g, '<session>')
    .replaceAll(/\b[0-9a-f]{16}\b/g, '<span>');
}
