import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeFailure, messageOf } from '../../src/lib/failure.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'

it('The message of an AggregateError is that of the first attempt, or else its code', () => {
  const coded = (message: string, code?: string) => Object.assign(new Error(message), code && { code })
  const refused = new AggregateError([coded('connect ECONNREFUSED ::1:1'), coded('connect ECONNREFUSED 127.0.0.1:1')])
  assert.equal(messageOf(refused), 'connect ECONNREFUSED ::1:1')
  assert.equal(messageOf(coded('broken', 'E1')), 'broken')
  assert.equal(messageOf(Object.assign(new AggregateError([coded('')]), { code: 'ETIMEDOUT' })), 'ETIMEDOUT')
  for (const nothing of [coded(''), null, undefined, 'text', {}]) assert.equal(messageOf(nothing), 'no reason given')
})

it('An error of the file system has advice that fits its code', () => {
  const failed = (code: string) => {
    const message = `${code}: it failed, open '/data/menagerie.db'`
    return describeFailure(Object.assign(new Error(message), { code, syscall: 'open' }))
  }
  const advice = {
    EACCES: 'check the file, its owner and mode',
    EPERM: 'check the file, its owner and mode',
    ENOENT: 'check the file, its owner and mode',
    ENOSPC: 'free space on its disk, or inodes (df -h, df -i)',
    EDQUOT: 'free space, or raise the disk quota of the user that runs it',
    EROFS: 'its file system is mounted read-only: mount it read-write, or choose another folder',
    EIO: 'check the disk, and the log of the kernel',
    EMFILE: 'raise the limit of open files of the process (LimitNOFILE, ulimit -n)',
    ENFILE: 'raise the limit of open files of the machine (fs.file-max)',
  }
  for (const [code, hint] of Object.entries(advice))
    assert.equal(failed(code), `DATA_DIR: ${code}: it failed, open '/data/menagerie.db'; ${hint}`)
})

it('A server whose certificate is refused is said to be running, with how to trust it', () => {
  const said = (message: string) => describeFailure(new Unavailable('database', new Error(message)))
  const check = 'check its certificate'
  const trust = `${check}; Node reads the file of an authority of your own from NODE_EXTRA_CA_CERTS in the environment, not in .env`
  for (const [message, hint] of [
    ['self-signed certificate', trust],
    ['unable to verify the first certificate', trust],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', trust],
    ['unable to get local issuer certificate', trust],
    ["Hostname/IP does not match certificate's altnames", check],
    ['certificate has expired', check],
    ['CERT_HAS_EXPIRED', check],
    ['connect ECONNREFUSED 127.0.0.1:1', 'check that it is running'],
  ] as const)
    assert.equal(said(message), `DATABASE_URL: database is not reachable: ${message}; ${hint}`)
})
