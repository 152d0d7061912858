import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'

const service = { STATUS_SERVICE_KIND: 'native', STATUS_SERVICE_URL: 'https://page.example.org' }
const pager = { STATUS_TARGET_PAGER_KIND: 'webhook', STATUS_TARGET_PAGER_URL: 'https://pager.example.org/?key=SECRET' }

describe('The targets', () => {
  it('are default, from STATUS_SERVICE_*, and then those of STATUS_TARGETS, each with its settings', () => {
    const env = { ...service, ...pager, STATUS_TARGETS: 'pager', STATUS_TARGET_PAGER_COMPONENTS: 'api' }
    assert.deepEqual(readConfig(env).statusTargets, [
      {
        name: 'default',
        prefix: 'STATUS_SERVICE',
        kind: 'native',
        url: 'https://page.example.org',
        token: null,
        components: null,
      },
      {
        name: 'pager',
        prefix: 'STATUS_TARGET_PAGER',
        kind: 'webhook',
        url: 'https://pager.example.org/?key=SECRET',
        token: null,
        components: new Map([['api', '']]),
        reminderMs: null,
        from: null,
        to: null,
        template: null,
      },
    ])
    const names = (values: Record<string, string>) => readConfig(values).statusTargets.map(({ name }) => name)
    assert.deepEqual(names({ ...pager, STATUS_TARGETS: 'pager' }), ['pager'])
    assert.deepEqual(names({ ...service, ...pager }), ['default'])
  })

  it('are refused without a kind, and with an invalid value, in one line that shows no secret', () => {
    assert.throws(() => readConfig({ ...pager, STATUS_TARGETS: 'pager,chat_2' }), {
      name: 'BadSetting',
      message: /^STATUS_TARGET_CHAT_2_KIND: expected one of native, .*, got none$/,
    })
    const url = 'ftp://SECRET'
    assert.throws(() => readConfig({ ...pager, STATUS_TARGETS: 'pager', STATUS_TARGET_PAGER_URL: url }), {
      name: 'BadSetting',
      message: /^STATUS_TARGET_PAGER_URL: expected an absolute http or https URL [^\n]*, got an invalid value$/,
    })
  })
})
