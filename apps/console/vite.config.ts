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
      // A set also visits what is added to it meanwhile.
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

// What is built obeys `default-src 'self'`: nothing inline, nothing from elsewhere, no data: URLs.
export default defineConfig({
  base: '/console/',
  plugins: [react(), preloadMain()],
  // The little code of ours that it shares with the server comes from sources, so that a test needs no build of them.
  resolve: { conditions: ['@workflowlookup/source', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The editor is large and loaded late; a test holds what is loaded first.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What `main.tsx` imports is one file: a browser needs some milliseconds for each, even from its cache.
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
