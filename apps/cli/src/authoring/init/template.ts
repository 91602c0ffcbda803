/** What a new workflow is called, as YAML. */
interface Names {
  readonly id: string;
  readonly title: string;
}

/** A workflow to begin with. */
export interface Template {
  readonly kind: 'activity' | 'step';
  readonly name: string;
  /** What it shows, in a few words. */
  readonly about: string;
  /** Its files: text by path in its folder; a step workflow is one file, `workflow.yaml`. `$schema` is put in front of each. */
  files(names: Names): Readonly<Record<string, string>>;
}
