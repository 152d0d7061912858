/*
 * Loads both programs to fill the compile cache, so that the first start is as small and fast as later ones:
 * those of src/, or with the argument `dist` the compiled ones.
 */

const [folder, ending] = process.argv[2] === 'dist' ? ['dist', 'js'] : ['src', 'ts']
const load = (path: string) => import(`../${folder}/${path}.${ending}`)

const { useCompileCache } = await load('process/compile-cache')
useCompileCache()
for (const path of ['process/run', 'api/api', 'worker/worker']) await load(path)
