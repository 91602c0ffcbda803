// Removes what was built before. If Turbo finds a build in its cache, it copies the files into `dist` and leaves older
// files there, which would be published.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders, root } from './support/workspace.mjs';

for (const folder of packageFolders()) rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
