import { fileURLToPath } from 'node:url';

/** The file that starts this program; what is bundled with it lies beside it. */
export const ownEntry = fileURLToPath(new URL('main.js', import.meta.url));
