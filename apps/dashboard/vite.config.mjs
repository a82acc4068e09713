import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Files that the API serves; nothing in them asks another host. */
export default defineConfig({
  plugins: [react()],
  // Uses the client's sources: `npm run build` compiles them for Node.
  resolve: {
    alias: { '@aosc/client': fileURLToPath(new URL('../../packages/client/src/index.ts', import.meta.url)) },
  },
  build: {
    outDir: 'dist/page',
    // Small files would become `data:` in styles, which the policy of the page does not allow for all kinds.
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: true,
  },
});
