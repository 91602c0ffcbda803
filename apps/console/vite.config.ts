import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defaultClientConditions, defineConfig } from 'vite';

/** Lets a page load the code and the styles of `main.tsx` at once, and not only when `start.ts` imports it. */
function preloadMain(): Plugin {
  return {
    name: 'preload-main',
    enforce: 'post',
    transformIndexHtml(_, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
      const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/main.tsx'));
      const names = new Set(main === undefined ? [] : [main.fileName]);
      // The loop also visits names that are added to the set during the loop.
      for (const name of names)
        for (const one of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(one);
      const styles = chunks.flatMap(({ fileName, viteMetadata }) =>
        names.has(fileName) ? [...(viteMetadata?.importedCss ?? [])] : [],
      );
      const link = (rel: string, name: string) => ({
        tag: 'link',
        attrs: { rel, crossorigin: true, href: `/console/${name}` },
        injectTo: 'head' as const,
      });
      return [
        ...[...names].map((name) => link('modulepreload', name)),
        ...[...new Set(styles)].map((name) => link('stylesheet', name)),
      ];
    },
  };
}

// The built pages must work with the policy `default-src 'self'`: no inline code, no other hosts, no data: URLs.
export default defineConfig({
  base: '/console/',
  plugins: [react(), preloadMain()],
  // Bundle the sources of our packages, so that tests don't have to build these packages first.
  resolve: { conditions: ['@workflowlookup/source', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The editor is large, but it is loaded later. A test limits the size of the first load.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Put the imports of `main.tsx` into one file, because a browser needs some milliseconds for each file, even from
          // its cache.
          groups: [
            {
              name: 'start',
              test: /[\\/]early-requests\.ts$|preload-helper|rolldown[\\/]runtime/,
              priority: 1,
            },
            { name: 'main', test: /[\\/]console[\\/]src[\\/]main\.tsx$/ },
          ],
        },
      },
    },
  },
});
