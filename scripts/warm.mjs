// After `npm install`: fills the compile cache, so that the first start is as small and fast as the next. JavaScript,
// and without a word where it cannot run (another Node, --ignore-scripts, a folder that is read-only): nothing needs it.
try {
  const { useCompileCache } = await import('../src/process/compile-cache.ts')
  useCompileCache()
  for (const path of ['bin/run', 'api', 'status-worker']) await import(`../src/${path}.ts`)
} catch {}
