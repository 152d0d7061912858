// After `npm install`: fills the compile cache, so that the first start is as small and fast as later ones. Optional:
// fails silently on another Node, with --ignore-scripts, or in a read-only folder.
try {
  const { useCompileCache } = await import('../src/process/compile-cache.ts')
  useCompileCache()
  await import('../src/process/run.ts')
  await import('../src/api/api.ts')
  await import('../src/worker/worker.ts')
} catch {}
