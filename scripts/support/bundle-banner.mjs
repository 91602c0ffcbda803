/** The first line of each bundled file. CommonJS dependencies call `require`, which most of the files never need. */
export const bundleBanner =
  "import { createRequire as createRequireHere } from 'node:module'; const require = (id) => createRequireHere(import.meta.url)(id);";
