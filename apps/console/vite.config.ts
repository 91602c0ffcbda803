import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// What is built obeys `default-src 'self'`: nothing inline, nothing from elsewhere, no data: URLs.
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The editor is large and loaded late; a test holds what is loaded first.
    chunkSizeWarningLimit: 700,
  },
});
