import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMappingLog } from '../../src/worker/mapping-log.ts'

describe('The mapping of a target', () => {
  it('is logged once where it differs from the components with heartbeats, and with each new one that it lacks', () => {
    const lines: object[] = []
    const log = { info: (fields: object) => void lines.push(fields), warn: (fields: object) => void lines.push(fields) }
    const targets = [
      {
        name: 'default',
        components: new Map([
          ['api', '1'],
          ['old', '2'],
        ]),
      },
      {
        name: 'right',
        components: new Map([
          ['api', '1'],
          ['web', '2'],
        ]),
      },
      { name: 'listed', components: new Map([['api', '']]) },
      { name: 'all', components: null },
    ]
    const mapping = createMappingLog(targets, log)
    for (const id of ['api', 'web']) mapping.registered(id)
    assert.deepEqual(lines, [])
    assert.deepEqual(mapping.neverHeard(['api', 'web']), [{ target: 'default', components: ['old'] }])
    mapping.check(['api', 'web'])
    assert.deepEqual(lines.splice(0), [{ target: 'default', unmapped: ['web'], neverHeard: ['old'] }])
    mapping.registered('old')
    assert.deepEqual(lines.splice(0), [{ target: 'right', componentId: 'old' }])
  })
})
