/** What a new workflow is called. */
interface Names {
  readonly id: string;
  /** As YAML. */
  readonly title: string;
}

/** A workflow to begin with. */
export interface Template {
  readonly kind: 'activity' | 'step';
  readonly name: string;
  /** What it shows, in a few words. */
  readonly about: string;
  /** Its files: text by path, of an activity workflow in its folder. `$schema` is put in front of each. */
  files(names: Names): Readonly<Record<string, string>>;
}
