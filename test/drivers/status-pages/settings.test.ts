import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { componentMap } from '../../../src/config/formats.ts'
import { BadSetting } from '../../../src/config/parser.ts'
import { openStatusPage, type StatusPageSettings } from '../../../src/drivers/status-pages/vendors.ts'
import { fakeClock } from '../../support/clock.ts'
import { worker } from './status-pages.contract.ts'

const url = 'http://127.0.0.1:1'
const openWith = (values: Partial<StatusPageSettings>) =>
  openStatusPage({
    prefix: 'STATUS_SERVICE',
    kind: null,
    url: null,
    token: null,
    components: null,
    clock: fakeClock(),
    source: worker,
    ...values,
  })

describe('The settings of a status page', () => {
  const api = (value: string) => new Map([['api', value]])
  const mistakes: Readonly<Record<string, readonly [Partial<StatusPageSettings>, string]>> = {
    'a kind without a URL': [{ kind: 'native' }, 'STATUS_SERVICE_URL'],
    'a URL without a kind': [{ url }, 'STATUS_SERVICE_KIND'],
    'a token that no header can carry': [{ kind: 'native', url, token: 'SECRET\n' }, 'STATUS_SERVICE_TOKEN'],
    'a webhook without a secret': [{ kind: 'webhook', url }, 'STATUS_SERVICE_TOKEN'],
    'components for a webhook': [
      { kind: 'webhook', url, token: 'x', components: api('SECRET') },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'an Instatus URL without a version': [
      { kind: 'instatus', url: `${url}/SECRET`, token: 'x', components: api('x') },
      'STATUS_SERVICE_URL',
    ],
    'the API of Cachet': [
      { kind: 'cachet', url: `${url}/api/v1`, token: 'x', components: api('1') },
      'STATUS_SERVICE_URL',
    ],
    'a name for a Cachet component': [
      { kind: 'cachet', url, token: 'x', components: api('SECRET') },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'the API of Kener': [{ kind: 'kener', url: `${url}/api`, token: 'x', components: api('x') }, 'STATUS_SERVICE_URL'],
    'a name that is missing': [
      { kind: 'statuspage', url: `${url}/v1/pages/a`, token: 'x', components: api('') },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'components for native': [{ kind: 'native', url, components: api('SECRET') }, 'STATUS_SERVICE_COMPONENTS'],
    'a Statuspage without a key': [{ kind: 'statuspage', url, components: api('x') }, 'STATUS_SERVICE_TOKEN'],
    'a Statuspage without components': [{ kind: 'statuspage', url, token: 'SECRET' }, 'STATUS_SERVICE_COMPONENTS'],
    'an Uptime Kuma without components': [{ kind: 'uptime-kuma', url }, 'STATUS_SERVICE_COMPONENTS'],
    'an Uptime Kuma with an empty mapping': [
      { kind: 'uptime-kuma', url, components: new Map() },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'a Gatus without components': [{ kind: 'gatus', url, token: 'SECRET' }, 'STATUS_SERVICE_COMPONENTS'],
    'a Gatus without a token': [{ kind: 'gatus', url, components: api('core_api') }, 'STATUS_SERVICE_COMPONENTS'],
    'a Gatus with an invalid key': [{ kind: 'gatus', url, components: api('SECRET:x') }, 'STATUS_SERVICE_COMPONENTS'],
    'a Statuspage URL that is no page': [
      { kind: 'statuspage', url: `${url}/SECRET`, token: 'x', components: api('x') },
      'STATUS_SERVICE_URL',
    ],
    'a Statuspage URL without a page id': [
      { kind: 'statuspage', url: `${url}/v1/pages/`, token: 'x', components: api('x') },
      'STATUS_SERVICE_URL',
    ],
    'the URL of a push for Uptime Kuma': [
      { kind: 'uptime-kuma', url: `${url}/api/push/SECRET`, components: api('x') },
      'STATUS_SERVICE_URL',
    ],
    'the URL of the push API for Uptime Kuma': [
      { kind: 'uptime-kuma', url: `${url}/api/push/`, components: api('x') },
      'STATUS_SERVICE_URL',
    ],
    'a URL as a push token of Uptime Kuma': [
      { kind: 'uptime-kuma', url, components: api('https://example.org/api/push/SECRET?status=up') },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'a query for another kind than webhook': [{ kind: 'native', url: `${url}/?key=SECRET` }, 'STATUS_SERVICE_URL'],
    'a Gatus key in upper case': [
      { kind: 'gatus', url, components: api('Core_SECRET:x') },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'a Gatus key with two groups': [
      { kind: 'gatus', url, components: api('a_b_c:SECRET') },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'a Gatus key with a dot': [{ kind: 'gatus', url, components: api('a_b.c:SECRET') }, 'STATUS_SERVICE_COMPONENTS'],
    'two components with one Gatus key': [
      { kind: 'gatus', url, components: new Map([...api('a_b:SECRET1'), ['web', 'a_b:SECRET2']]) },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'two components with one push token of Uptime Kuma': [
      { kind: 'uptime-kuma', url, components: new Map([...api('SECRET'), ['web', 'SECRET']]) },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'two components with one Statuspage id': [
      {
        kind: 'statuspage',
        url: `${url}/v1/pages/a`,
        token: 'x',
        components: new Map([...api('SECRET'), ['web', 'SECRET']]),
      },
      'STATUS_SERVICE_COMPONENTS',
    ],
    'a Gatus key with an empty token': [{ kind: 'gatus', url, components: api('a_b:') }, 'STATUS_SERVICE_COMPONENTS'],
    'a Gatus token that no header can carry': [
      { kind: 'gatus', url, components: api('a_b:SECRETé') },
      'STATUS_SERVICE_COMPONENTS',
    ],
  }
  for (const [what, [values, name]] of Object.entries(mistakes)) {
    it(`are refused with ${what}: one line that names the variable and shows no secret`, () => {
      assert.throws(
        () => openWith(values),
        (error) => {
          assert.ok(error instanceof BadSetting)
          assert.match(
            error.message,
            new RegExp(`^${name}: expected [^\\n]+, got [^\\n]+$|^${name}: expected [^\\n]+$`),
          )
          assert.doesNotMatch(error.message, /SECRET/)
          return true
        },
      )
    })
  }

  it('explain the form of a Gatus key, and name the component with the bad one', () => {
    assert.throws(() => openWith({ kind: 'gatus', url, token: 'x', components: api('Core_API') }), {
      message:
        'STATUS_SERVICE_COMPONENTS: expected group_name or group_name:token for api, in lower case, with - for each blank and / _ . , # + & of the group and of the name, got an invalid value',
    })
  })

  it('need no token for native, and take one token for all of Gatus', async () => {
    for (const values of [{ kind: 'native' }, { kind: 'gatus', token: 'x', components: api('_api') }] as const) {
      const page = openWith({ url, ...values })
      assert.equal(page.covers('api'), true)
      await page.close()
    }
  })
})

describe('A component mapping', () => {
  it('is parsed into pairs', () => {
    const read = (text: string) => [...(componentMap.read(text) ?? [])]
    assert.deepEqual(read('api=abc123, database=def456'), [
      ['api', 'abc123'],
      ['database', 'def456'],
    ])
    assert.deepEqual(read('api, database'), [
      ['api', ''],
      ['database', ''],
    ])
    assert.deepEqual(read(' a.b_c-D=core_a:to==ken '), [['a.b_c-D', 'core_a:to==ken']])
    assert.deepEqual(read('constructor=1,__proto=2'), [])
    assert.deepEqual(read(`${'a'.repeat(64)}=1`), [['a'.repeat(64), '1']])
  })

  it('is refused with an invalid or repeated component', () => {
    const bad = ['', ...', api,api=x api= =x api=x, ,api=x api=x,api=y'.split(' '), 'api=x y', 'ap i=x', '-a=x', 'a =x']
    for (const text of [...bad, `${'a'.repeat(65)}=1`, 'a=b;c=d e'])
      assert.equal(componentMap.read(text), undefined, text)
  })
})
