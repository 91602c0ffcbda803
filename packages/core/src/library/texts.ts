import type { ActivityPart, ActivityWorkflow, Json, ResourcePart, SkillPart } from '@workflowlookup/schema';
import type { ArtifactPath } from './artifacts.ts';
import { toToon } from './to-toon.ts';
import { workflowSummary } from './workflow-summary.ts';

/** Lines ahead of a text, by key, such as the session's token. */
export type Header = Readonly<Record<string, string>>;

/** Texts with a line `---` between them; empty ones are left out. */
export function joinSections(...sections: readonly string[]): string {
  return sections
    .map((section) => section.trimEnd())
    .filter((section) => section !== '')
    .join('\n---\n');
}

/** The summary of a workflow in TOON. */
export function summaryText(workflow: ActivityWorkflow): Promise<string> {
  return toToon(workflowSummary(workflow));
}

/** The whole definition of a workflow: its file where that is TOON, else in TOON. */
export function definitionText(workflow: ActivityWorkflow): Promise<string> {
  return inToon(workflow);
}

/** What goes with the text of an activity. */
export interface ActivityExtras {
  /** Ids of the steps that are left to do, in order; of a step in a loop one for each iteration. */
  readonly remaining: readonly string[];
  /** The items of the iterations among them. */
  readonly iterations?: readonly { readonly iteration: string; readonly item: Json }[];
  readonly artifacts?: readonly ArtifactPath[];
}

/** A complete activity, then the steps that remain and where its artifacts go. */
export async function activityText(
  part: ActivityPart,
  { remaining, iterations = [], artifacts = [] }: ActivityExtras,
): Promise<string> {
  const extras = {
    remaining,
    ...(iterations.length > 0 && { iterations }),
    ...(artifacts.length > 0 && { artifactPaths: artifacts }),
  };
  return `${(await inToon(part)).trimEnd()}\n${await toToon(extras)}`;
}

/** A skill: its file where that is TOON, else in TOON. */
export function skillText(skill: SkillPart): Promise<string> {
  return inToon(skill);
}

/** A skill behind a header. */
export async function skillAnswer(skill: SkillPart, header: Header): Promise<string> {
  return joinSections(await toToon(header), await skillText(skill));
}

/** The skills of a workflow behind a header that names the scope. */
export async function skillsAnswer(skills: readonly SkillPart[], header: Header): Promise<string> {
  const texts = skills.length === 0 ? [await toToon({ skills })] : await Promise.all(skills.map(skillText));
  return joinSections(await toToon({ scope: 'workflow', ...header }), ...texts);
}

/** A resource behind a header with its id and version: what its file says, without front matter. */
export async function resourceText(resource: ResourcePart, header: Header): Promise<string> {
  const { id, version, body } = resource;
  return joinSections(await toToon({ ...header, id, ...(version !== undefined && { version }) }), body);
}

async function inToon(part: {
  readonly format: string;
  readonly text: string;
  readonly definition: object;
}): Promise<string> {
  return part.format === 'toon' ? part.text : toToon(part.definition);
}
