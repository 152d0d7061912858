import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Running } from '../bin/processes.ts'
import { highLimits } from '../support/limits.ts'
import { longGif, picture, resizeProcesses } from '../support/real-images.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

/** A service whose folder has these images. */
async function start(images: Readonly<Record<string, Buffer>>) {
  const folder = testFolder()
  mkdirSync(join(folder, 'objects/images/fox'), { recursive: true })
  for (const [name, bytes] of Object.entries(images)) writeFileSync(join(folder, 'objects/images/fox', name), bytes)
  const env = { ...highLimits, DATA_DIR: folder, SAMPLE_IMAGES: 'false' }
  const { url, child } = await Running.listening('api', { env })
  const ask = async (path: string) => {
    const answer = await fetch(`${url}${path}`)
    await answer.arrayBuffer()
    return answer.status
  }
  return { ask, child, folder, processes: () => resizeProcesses(child.pid) }
}

/** CPU time, in hundredths of a second. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

describe('The sizes of a running service', {
  skip: process.platform !== 'linux' && '/proc and prlimit are of Linux',
}, () => {
  it('cost nothing until one is asked for', async () => {
    const { ask, child, folder, processes } = await start({ 'a.png': await picture('png', 300, 200) })
    assert.equal(await ask('/i/fox/a.png'), 200)
    assert.deepEqual([processes(), existsSync(join(folder, 'sizes'))], [[], false])
    const maps = readFileSync(`/proc/${child.pid}/maps`, 'utf8')
    assert.doesNotMatch(maps, /sharp|vips/)
    assert.equal(await ask('/i/fox/a.png?w=160'), 200)
    assert.equal(processes().length, 1)
  })

  it('are made again after the process was killed while it worked, whose request is refused', async () => {
    const { ask, processes } = await start({
      'long.gif': await longGif(60, 60, 1_500),
      'a.png': await picture('png', 300, 200),
    })
    assert.equal(await ask('/i/fox/a.png?w=160'), 200)
    const [pid = 0] = processes()
    const before = ticksOf(pid)
    const lost = ask('/i/fox/long.gif?w=160')
    await until(() => ticksOf(pid) > before + 10)
    process.kill(pid, 'SIGKILL')
    assert.equal(await lost, 422)
    assert.equal(await ask('/i/fox/long.gif?w=160'), 200)
    assert.equal(await ask('/health'), 200)
  })

  it('are served while the disk of their cache is full', async () => {
    const { ask, child, folder } = await start({ 'a.png': await picture('png', 300, 200) })
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=1:'])
    for (const w of [160, 320]) assert.equal(await ask(`/i/fox/a.png?w=${w}`), 200)
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:'])
    assert.equal(await ask('/i/fox/a.png?w=640'), 200)
    await until(() => existsSync(join(folder, 'sizes')))
  })

  it('leave no process behind when the service is killed', async () => {
    const { ask, child, processes } = await start({ 'a.png': await picture('png', 300, 200) })
    assert.equal(await ask('/i/fox/a.png?w=160'), 200)
    const [pid = 0] = processes()
    child.kill('SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`))
  })
})
