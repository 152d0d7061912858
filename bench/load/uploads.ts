import { measure } from '../images-uploads.ts'
import { ownerSettings } from '../people.ts'
import { startApi } from '../server.ts'
import { atMost } from './gates.ts'
import type { LoadRun } from './load-run.ts'
import { onOwnCore } from './own-core.ts'
import { probe, type Watched, watchServer } from './samples.ts'

export const uploads: LoadRun = {
  id: 'L09',
  title: '50 uploads of 20 MB at a time, into the folder',
  async run({ folder }) {
    const server = await startApi(folder, ownerSettings, probe)
    const watch = await watchServer(server)
    let watched: Watched | undefined
    // Throws if an image was stored with another MD5.
    const { grownMb, refused } = await onOwnCore(() =>
      measure(server, async () => {
        watched = await watch.stop()
      }),
    )
    return {
      ...(watched && { watched }),
      notes: ['Never shortened. The MD5 of each is compared with what was sent.'],
      gates: [
        atMost('resident memory grows by', grownMb, 64, 'MiB'),
        atMost('uploads refused or stored with another MD5', refused, 0),
      ],
    }
  },
}
