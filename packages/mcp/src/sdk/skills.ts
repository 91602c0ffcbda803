import type { McpServer } from '@modelcontextprotocol/server';
import { skillEntry, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { Workflow } from '@workflowlookup/schema';
import { summarize, WorkflowError } from '@workflowlookup/schema';
import { howToFollow } from '../tools/how-to-follow.ts';
import type { ServerParts } from './server-parts.ts';
import { pageOf } from './paging.ts';

const uriPattern = /^skill:\/\/([a-z0-9-]+)\/SKILL\.md$/;

/** Serves each workflow as a skill: a text that says how to follow it with the tools. */
export function serveSkills(mcp: McpServer, { engine, onError }: ServerParts): void {
  const find = async (uri: string): Promise<Workflow | undefined> => {
    const id = uriPattern.exec(uri)?.[1];
    return id === undefined ? undefined : engine.get(id).catch(undefinedWhenMissing);
  };
  new SkillsExtension({
    onWarning: onError,
    source: {
      async list({ cursor }) {
        // A skill's name has no dot, so a workflow in a namespace is not a skill.
        const page = pageOf(
          (await engine.summaries()).filter(({ id }) => !id.includes('.')),
          cursor,
        );
        const workflows = await Promise.all(
          page.items.map(({ id }) => engine.get(id).catch(undefinedWhenMissing)),
        );
        const present = workflows.filter((workflow) => workflow !== undefined);
        return { skills: await Promise.all(present.map(entryOf)), ...page.next };
      },
      async get(uri) {
        const workflow = await find(uri);
        return workflow && entryOf(workflow);
      },
      async read(uri) {
        const workflow = await find(uri);
        return workflow && { text: skillText(workflow), mimeType: 'text/markdown' };
      },
    },
  }).attach(mcp);
}

function entryOf(workflow: Workflow): ReturnType<typeof skillEntry> {
  return skillEntry(workflow.id, { 'SKILL.md': skillText(workflow) });
}

function skillText(workflow: Workflow): string {
  const { name, description } = summarize(workflow);
  return `---\nname: ${workflow.id}\ndescription: ${JSON.stringify(description === '' ? name : description)}\n---\n\n${howToFollow(workflow, {})}\n`;
}

function undefinedWhenMissing(error: unknown): undefined {
  if (!(error instanceof WorkflowError)) throw error;
}
