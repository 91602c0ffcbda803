// Removes what was built before. If Turbo finds a build in its cache, it copies the files into `dist` and leaves older
// files there, which would be published.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders, readManifest, root } from './support/workspace.mjs';

for (const folder of packageFolders()) {
  const { build } = readManifest(folder).scripts ?? {};
  if (build !== undefined) rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
}
