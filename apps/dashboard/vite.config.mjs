import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Files that the API serves; nothing in them asks another host. */
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: 'dist/page',
    // What is small would become `data:` in styles, which the policy of the page does not allow for all kinds.
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: true,
  },
});
