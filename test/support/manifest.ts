import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders, readManifest, root, unitTests } from '../../scripts/support/workspace.mjs';

/** The target of an entry in an export map: files by condition, or one file. */
type ExportTarget = string | Readonly<Record<string, string>>;

/** The fields of a package.json that tests read. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly license?: string;
  readonly type?: string;
  readonly mcpName?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly repository?: { readonly url?: string; readonly directory?: string };
  readonly engines?: { readonly node?: string };
  readonly publishConfig?: { readonly access?: string };
  readonly exports?: Readonly<Record<string, ExportTarget>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A package of the workspace. */
export interface Package {
  /** The folder, relative to the root. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly hasReadme: boolean;
  /** Whether it has test files that are not named `*.system.test.ts`. */
  readonly hasTests: boolean;
}

/** Returns every package of the workspace, sorted by folder. */
export function readPackages(): readonly Package[] {
  return packageFolders().map((folder) => ({
    folder,
    manifest: readManifest(folder) as Manifest,
    hasReadme: existsSync(join(root, folder, 'README.md')),
    hasTests: unitTests(folder).length > 0,
  }));
}
