import { defineConfig } from 'vite'

const service = process.env.MENAGERIE_URL ?? 'http://localhost:3000'

/** Of the routes that the console calls, for `npm run console`: Vite serves the sources, the service does the rest. */
const proxied = ['console/session', 'auth', 'admin', 'images', 'i', 'e', 'health', 'ready', 'docs', 'status', 'openapi']

export default defineConfig({
  root: import.meta.dirname,
  // The page is /console, its files are /console/…, and a proxy may put both under any path.
  base: './',
  // The API replaces this in each response (src/api/console.ts).
  html: { cspNonce: '%nonce%' },
  build: {
    assetsDir: 'console',
    assetsInlineLimit: 0,
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // React's libraries say 'use client', which only servers heed.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
    target: 'es2022',
  },
  server: { proxy: Object.fromEntries(proxied.map((path) => [`^/${path}([/.?]|$)`, service])) },
})
