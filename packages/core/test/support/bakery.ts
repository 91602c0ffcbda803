import type {
  Activity,
  ActivityPart,
  ActivityWorkflow,
  ActivityWorkflowDefinition,
  BrokenPart,
  ResourcePart,
  Skill,
  SkillPart,
} from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import type { Library } from '../../src/library/library.ts';

/** The parts of a workflow that a test sets. The rest gets defaults. */
export interface Sketch {
  readonly definition?: Partial<ActivityWorkflowDefinition>;
  readonly activities?: readonly ActivityPart[];
  readonly skills?: readonly SkillPart[];
  readonly resources?: readonly ResourcePart[];
  readonly problems?: readonly BrokenPart[];
  /** The text of the workflow file, if it is TOON. */
  readonly toon?: string;
}

/** Returns a workflow with these parts. */
export function workflow(id: string, sketch: Sketch = {}): ActivityWorkflow {
  const definition = { id, version: '1.0.0', title: `Title of ${id}`, ...sketch.definition };
  return {
    kind: 'activities',
    id,
    digest: digestOf(definition),
    definition,
    text: sketch.toon ?? JSON.stringify(definition),
    format: sketch.toon === undefined ? 'json' : 'toon',
    activities: sketch.activities ?? [],
    skills: sketch.skills ?? [],
    resources: sketch.resources ?? [],
    problems: sketch.problems ?? [],
  };
}

/** Returns an activity. `where` is what a reader would know about its file. */
export function activity(
  fields: Partial<Activity> & { readonly id: string },
  where: Partial<ActivityPart> = {},
): ActivityPart {
  const definition = { version: '1.0.0', name: `Name of ${fields.id}`, ...fields };
  return { ...part('activities', fields.id), pointer: '', definition, ...where };
}

/** Returns a skill. */
export function skill(
  fields: Partial<Skill> & { readonly id: string },
  where: Partial<SkillPart> = {},
): SkillPart {
  const definition = { version: '1.0.0', capability: `Capability of ${fields.id}`, ...fields };
  return { ...part('skills', fields.id), definition, ...where };
}

/** Returns a Markdown resource with this number. */
export function resource(index: string, id: string, more: Partial<ResourcePart> = {}): ResourcePart {
  const body = `Body of ${id}.\n`;
  return { ...part('resources', id), index, format: 'md', name: id, text: body, body, ...more };
}

/** Returns a part whose file has an error in its second line. */
export function broken(kind: BrokenPart['kind'], id: string, file: string): BrokenPart {
  const issue = {
    severity: 'error',
    pointer: '/version',
    message: "'version' is missing",
    line: 2,
    column: 1,
  };
  return { kind, id, file, issues: [issue as BrokenPart['issues'][number]] };
}

/** Returns a library of these workflows. */
export function library(...workflows: readonly ActivityWorkflow[]): Library {
  return new Map(workflows.map((each) => [each.id, each]));
}

function part(folder: string, id: string) {
  return { id, index: '01', file: `${folder}/01-${id}.json`, format: 'json', text: '{}' } as const;
}

const baker = skill({
  id: 'baker',
  operations: {
    knead: { description: 'Fold until it stretches', resources: ['01', 'resources/02-flour.md', 'meta/00'] },
    rest: { description: 'Leave it alone' },
    steam: { description: 'The operation called steam' },
  },
  rules: {
    'clean-hands': 'Wash first',
    'warm-oven': ['Heat it early', 'Keep it shut'],
    steam: 'The rule called steam',
  },
  errors: {
    sticky: { cause: 'Too wet', recovery: 'Add flour' },
    'clean-hands': { cause: 'The error called clean-hands' },
  },
});

/** A workflow with rules, variables, skills, operations, resources and activities. */
export const bakery = workflow('bakery', {
  definition: {
    version: '2.1.0',
    description: 'Bread from flour',
    rules: ['Nothing burns'],
    variables: [{ name: 'loaves', type: 'number', defaultValue: 2 }],
    skills: { primary: 'baker' },
    operations: ['baker::knead', 'meta/conduct::quiet'],
    artifactLocations: { shelf: '{grain}/shelf', cellar: { path: 'cellar' } },
  },
  skills: [baker],
  resources: [
    resource('01', 'oven', { version: '4.0.1' }),
    resource('02', 'flour-types', { name: 'flour' }),
    resource('12', 'prices'),
  ],
  activities: [
    activity({
      id: 'mix',
      required: true,
      skills: { primary: 'baker' },
      operations: ['baker::rest', 'baker::vanish'],
      steps: [{ id: 'weigh', skill: 'baker' }, { id: 'stir', skill: 'lost-skill' }, { id: 'taste' }],
      loops: [{ id: 'rounds', name: 'Rounds', type: 'while', steps: [{ id: 'fold', skill: 'conduct' }] }],
    }),
    activity({ id: 'bake' }),
  ],
});

/** The workflow whose skills and resources all others can use. */
export const meta = workflow('meta', {
  definition: {
    operationsFor: { orchestrator: ['engine::lead', 'engine::missing'], worker: ['engine::work'] },
  },
  skills: [
    skill({
      id: 'engine',
      operations: { lead: { description: 'Lead the work' }, work: { description: 'Do the work' } },
    }),
    skill({
      id: 'conduct',
      operations: { sweep: { description: 'Sweep the floor', resources: ['01'] } },
      rules: { quiet: 'Speak low' },
    }),
    skill({ id: 'baker', operations: { 'shared-only': { description: 'Only in meta' } } }),
  ],
  resources: [resource('00', 'start'), resource('01', 'calendar'), resource('44', 'glossary')],
});

/** Another workflow, with its own skill `baker`. */
export const mill = workflow('mill', {
  skills: [skill({ id: 'baker', operations: { knead: { description: 'Knead at the mill' } } })],
  resources: [resource('01', 'stones')],
});
