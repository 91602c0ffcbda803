import type { ResolvedElement } from '@workflowlookup/core/library';
import {
  activityAnswer,
  answerHeader,
  textAnswer,
  toToon,
  defineTool,
  readAnnotations,
  fullBundle,
  idText,
  argumentsSchema,
  sessionToken,
  text,
} from '../tool-support/tool.ts';
import { present } from '../tool-support/session-json.ts';

interface GetWorkflowArgs {
  readonly session_token: string;
  readonly summary?: boolean;
  readonly full?: boolean;
}

/** `get_workflow`: returns the workflow as an orchestrator needs it. */
export const getWorkflow = defineTool<GetWorkflowArgs>({
  name: 'get_workflow',
  title: 'Read the workflow',
  description:
    "Reads the workflow: primary skill, operations, rules, variables, activity stubs. You don't need it with include_activity.",
  inputSchema: argumentsSchema(
    {
      session_token: sessionToken,
      summary: { type: 'boolean', default: true, description: 'false: the whole definition' },
      full: fullBundle,
    },
    ['session_token'],
  ),
  annotations: readAnnotations,
  async run({ sessions }, { session_token: token, summary = true, full = false }) {
    const reply = await sessions.workflow(token, { summary, full });
    const { skill, bundle, body } = reply.value;
    const head = [skill, bundle].map((part) => part.trimEnd()).filter((part) => part !== '');
    return textAnswer(reply, head.join('\n\n'), `${await answerHeader(reply)}\n${body}`);
  },
});

interface GetActivityArgs {
  readonly session_token: string;
  readonly full?: boolean;
}

/** `get_activity`: returns the current activity as a worker needs it. */
export const getActivity = defineTool<GetActivityArgs>({
  name: 'get_activity',
  title: 'Read the activity',
  description:
    "Reads the current activity: operations, steps, and what remains. Call it if you didn't pass include_activity.",
  inputSchema: argumentsSchema({ session_token: sessionToken, full: fullBundle }, ['session_token']),
  annotations: readAnnotations,
  async run({ sessions }, { session_token: token, full = false }) {
    const reply = await sessions.activity(token, { full });
    return activityAnswer(reply, reply.value);
  },
});

/** `get_skills`: returns the primary skill of the workflow. */
export const getSkills = defineTool<{ readonly session_token: string }>({
  name: 'get_skills',
  title: "The workflow's skill",
  description: 'Loads the primary skill of the workflow, where it works by skills and not by operations.',
  inputSchema: argumentsSchema({ session_token: sessionToken }, ['session_token']),
  annotations: readAnnotations,
  async run({ sessions }, { session_token: token }) {
    const reply = await sessions.skills(token);
    const skills = reply.value.length === 0 ? [await toToon({ skills: [] })] : reply.value;
    return textAnswer(reply, await answerHeader(reply, { scope: 'workflow' }), ...skills);
  },
});

interface GetSkillArgs {
  readonly session_token: string;
  readonly step_id?: string;
}

/** `get_skill`: returns the skill of a step, of the activity or of the workflow. */
export const getSkill = defineTool<GetSkillArgs>({
  name: 'get_skill',
  title: 'Read a skill',
  description: 'Loads the skill a step names; call it before you do that step.',
  inputSchema: argumentsSchema(
    {
      session_token: sessionToken,
      step_id: idText("Default: the activity's skill; before the first activity the workflow's"),
    },
    ['session_token'],
  ),
  annotations: readAnnotations,
  async run({ sessions }, { session_token: token, step_id: stepId }) {
    const reply = await sessions.skill(token, stepId);
    return textAnswer(reply, await answerHeader(reply), reply.value);
  },
});

interface GetResourceArgs {
  readonly session_token: string;
  readonly resource_id: string;
}

/** `get_resource`: returns a whole resource. */
export const getResource = defineTool<GetResourceArgs>({
  name: 'get_resource',
  title: 'Read a resource',
  description: 'Loads a resource in full. Call it when an operation, a skill or an activity names one.',
  inputSchema: argumentsSchema(
    { session_token: sessionToken, resource_id: idText('Number or id, of another workflow: meta/01') },
    ['session_token', 'resource_id'],
  ),
  annotations: readAnnotations,
  async run({ sessions }, { session_token: token, resource_id: resourceId }) {
    const reply = await sessions.resource(token, resourceId);
    const { id, version, body } = reply.value;
    return textAnswer(reply, await answerHeader(reply, present({ id, version })), body);
  },
});

interface ResolveOperationsArgs {
  readonly operations: readonly string[];
  readonly session_token?: string;
}

/** `resolve_operations`: returns the operations, rules and errors that the references name. */
export const resolveOperations = defineTool<ResolveOperationsArgs>({
  name: 'resolve_operations',
  title: 'Look up operations',
  description:
    'Looks up operations, rules and errors by reference. Use it for those missing from your bundle.',
  inputSchema: argumentsSchema(
    {
      operations: {
        type: 'array',
        description: '[workflow/]skill::element each',
        items: { type: 'string', maxLength: 256 },
        maxItems: 1000,
        minItems: 1,
      },
      session_token: text('Session whose workflow is searched first'),
    },
    ['operations'],
  ),
  annotations: readAnnotations,
  async run({ sessions }, { operations, session_token: token }) {
    const resolved = await sessions.operations(operations, token);
    const texts = await Promise.all(resolved.map(entryText));
    const read = sessions.readTextOf(resolved);
    return {
      text: [`operations[${texts.length}]:`, ...texts].join('\n'),
      ...(read !== undefined && { read }),
    };
  },
});

/** Returns one item of a TOON list, with each field on its own line: bodies are long, and a table of them is hard to read. */
async function entryText({ source, workflow, name, type, body, ref }: ResolvedElement): Promise<string> {
  const entry = await toToon(present({ source, workflow, name, type, body, ref }));
  return `  - ${entry.replaceAll('\n', '\n    ')}`;
}
