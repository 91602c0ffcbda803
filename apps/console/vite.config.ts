import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

// What is built obeys `default-src 'self'`: nothing inline, nothing from elsewhere, no data: URLs.
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  // The little code of ours that it shares with the server comes from sources, so that a test needs no build of them.
  resolve: { conditions: ['@workflowlookup/source', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The editor is large and loaded late; a test holds what is loaded first.
    chunkSizeWarningLimit: 700,
  },
});
