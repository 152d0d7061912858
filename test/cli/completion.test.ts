import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { testFolder } from '../support/test-folder.ts'
import { toolHere } from './tool.ts'

/** What a shell offers for a line; the last word is completed. */
interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish'
  /** Takes the script as `$1`, then the words. Prints one candidate on each line. */
  readonly program: string
}

const shells: readonly Shell[] = [
  {
    name: 'bash',
    program: `source "$1"; shift; compopt() { compgen -f -- "$cur"; }
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _"$1"_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  {
    name: 'zsh',
    program: `compdef() { :; }; source "$1"; shift
      _describe() { local -a all=("\${(@P)2}"); print -l -- "\${(@M)\${(@)all%%:*}:#\${PREFIX}*}"; }
      compadd() { shift; print -l -- "\${(@M)@:#\${PREFIX}*}"; }; _files() { print -l -- "\${PREFIX}"*; }
      words=("$@"); CURRENT=$#; PREFIX=\${words[CURRENT]}; _"$1"_complete`,
  },
  { name: 'fish', program: 'source $argv[1]; complete -C "$argv[2..]" | string replace -r "\\t.*" ""' },
]

for (const { name, program } of shells) {
  const isMissing = spawnSync(name, ['-c', 'exit']).error !== undefined && !process.env.CI
  describe(`Completion in ${name}`, { skip: isMissing && `needs ${name}` }, () => {
    const folder = testFolder()
    const scripts = { menagerie: join(folder, 'menagerie'), mena: join(folder, 'mena') }
    before(async () => {
      for (const [command, path] of Object.entries(scripts)) {
        const more = command === 'mena' ? ['--for', 'mena'] : []
        writeFileSync(path, (await toolHere({}, ['completion', name, ...more])).stdout)
      }
      writeFileSync(join(folder, 'picture.png'), '')
    })
    const offered = (...words: readonly [keyof typeof scripts, ...string[]]) => {
      const flags = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] }[name]
      const { stdout, stderr } = spawnSync(
        name,
        [...flags, '-c', program, ...(name === 'fish' ? [] : [name]), scripts[words[0]], ...words],
        { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: folder } },
      )
      assert.equal(stderr, '')
      return stdout.trim().split('\n').sort()
    }

    it('offers the commands, options and values of the tool, and files where it takes one', () => {
      assert.deepEqual(offered('menagerie', ''), ['api', 'cli', 'start', 'worker'])
      assert.deepEqual(offered('menagerie', 'start', ''), [''])
      assert.deepEqual(offered('menagerie', 'cli', 'us'), ['usage', 'user'])
      assert.deepEqual(offered('menagerie', 'cli', 'user', 're'), ['rename', 'revoke'])
      assert.deepEqual(offered('menagerie', 'cli', 'user', 'list', '--role', 'a'), ['admin'])
      assert.deepEqual(offered('menagerie', 'cli', 'user', 'list', '--b'), ['--banned'])
      assert.deepEqual(offered('menagerie', 'cli', 'user', 'set-role', 'bob', 'ow'), ['owner'])
      assert.deepEqual(offered('menagerie', 'cli', 'images', 'list', '--kind', 'f'), ['fox'])
      assert.deepEqual(offered('menagerie', 'cli', 'images', 'upload', 'pic'), ['picture.png'])
    })

    it('can complete a function of another name', () => {
      assert.deepEqual(offered('mena', 'user', 'del'), ['delete'])
      assert.deepEqual(offered('mena', 'completion', ''), ['bash', 'fish', 'zsh'])
    })
  })
}

describe('completion', () => {
  it('refuses unknown shells and names that no function can have', async () => {
    for (const args of [['csh'], [], ['bash', '--for', 'a; rm'], ['bash', '--for', ''], ['bash', '--for', '$(x)']])
      assert.equal((await toolHere({}, ['completion', ...args])).code, 2, args.join(' '))
  })
})
