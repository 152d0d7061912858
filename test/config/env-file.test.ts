import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { loadEnvFile } from '../../src/config/env-file.ts'
import { testFolder } from '../support/test-folder.ts'

describe('.env in the working directory', () => {
  const before = process.cwd()
  let file: string
  beforeEach(() => {
    process.chdir(testFolder())
    file = join(process.cwd(), '.env')
  })
  afterEach(() => process.chdir(before))

  const load = (content: string | Buffer, env: NodeJS.ProcessEnv = {}) => {
    writeFileSync(file, content)
    assert.equal(loadEnvFile(env), file)
    return env
  }

  it('is optional', () => {
    const env = { PORT: '1' }
    assert.equal(loadEnvFile(env), null)
    assert.deepEqual(env, { PORT: '1' })
  })

  it('adds variables, with comments, quotes, several lines, a byte order mark and Windows line endings', () => {
    assert.deepEqual(
      load('\ufeffPORT=4000\r\n# HOST=x\r\n\r\nexport MAINTAINER="a # b" # c\r\nJWT_SECRET=\'x\r\ny\'\r\nHOST=\n'),
      {
        PORT: '4000',
        MAINTAINER: 'a # b',
        JWT_SECRET: 'x\ny',
        HOST: '',
      },
    )
  })

  it('never replaces a real variable, not even an empty one, nor the other source of a secret', () => {
    const real = { PORT: '1', HOST: '', JWT_SECRET: 'x', REDIS_URL_FILE: '/r' }
    const env = load('PORT=2\nHOST=b\nJWT_SECRET_FILE=/s\nREDIS_URL=redis://x\nMAINTAINER=me\n', { ...real })
    assert.deepEqual(env, { ...real, MAINTAINER: 'me' })
  })

  for (const [content, line] of [
    ['PORT=1\nHOST localhost\n', 2],
    ['# a\n\nSECRET="hunter2\nPORT=1', 3],
    ['SECRET="hunter2" hunter2\n', 1],
    ['=hunter2', 1],
  ] as const) {
    it(`stops the start with one line if it is broken, and shows none of it: ${JSON.stringify(content)}`, () => {
      const expected = `${file}, line ${line}: expected NAME=value or a comment, with every quote closed`
      assert.throws(() => load(content), { name: 'BadSetting', message: expected })
    })
  }

  it('stops the start if it is not UTF-8 text, as PowerShell may write it, or not a file', () => {
    const message = `${file}: expected text in UTF-8`
    for (const content of [
      Buffer.from('\ufeffPORT=1\r\n', 'utf16le'),
      Buffer.from('A=a\0'),
      Buffer.from([0x41, 0x3d, 0xe4]),
    ])
      assert.throws(() => load(content), { name: 'BadSetting', message })
    process.chdir(testFolder())
    mkdirSync('.env')
    assert.throws(() => loadEnvFile({}), { name: 'BadSetting', message: /\.env: expected a readable file \(EISDIR\)$/ })
  })
})
