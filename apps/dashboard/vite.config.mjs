import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Files that the API serves; nothing in them asks another host. */
export default defineConfig({
  plugins: [react()],
  // The client's sources: what `npm run build` makes of them is for Node.
  resolve: {
    alias: { '@aosc/client': fileURLToPath(new URL('../../packages/client/src/index.ts', import.meta.url)) },
  },
  build: {
    outDir: 'dist/page',
    // What is small would become `data:` in styles, which the policy of the page does not allow for all kinds.
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: true,
  },
});
