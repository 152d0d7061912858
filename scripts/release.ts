import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './compile.ts'

/*
 * npm run release -- <version> [--dry-run]: proves that the commit checked out can be published as this version, tags it,
 * and names it in CHANGELOG.md. Pushing the tag starts .github/workflows/release.yml, which publishes. With --notes, only
 * prints what CHANGELOG.md says of the version.
 */

const { values: flags, positionals } = readArguments()
const [version = ''] = positionals

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean' }, notes: { type: 'boolean' } },
    })
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(2)
  }
}

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const run = (command: string, args: readonly string[], cwd = root): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
const git = (...args: readonly string[]) => run('git', args)

function expect(isSo: boolean, problem: string): void {
  if (isSo) return
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

const heading = `## ${version} (`

/** What CHANGELOG.md says of the version, without its heading. */
function notes(): string {
  const changelog = read('CHANGELOG.md')
  const from = changelog.indexOf(`\n${heading}`) + 1
  expect(from > 0, `CHANGELOG.md has no heading ${heading}…)`)
  const [, ...lines] = (changelog.slice(from).split(/\n(?=## )/)[0] as string).split('\n')
  return lines.join('\n').trim()
}

/** Every file that repeats the version, and what it says. */
const repeated: Readonly<Record<string, string>> = {
  'package.json': `"version": "${version}"`,
  'client/package.json': `"version": "${version}"`,
  'package-lock.json': `"version": "${version}"`,
  'compose.yaml': `image: menagerie:${version}`,
  'compose.cluster.yaml': `menagerie:${version}`,
  Dockerfile: `menagerie:${version}`,
  'README.md': `(${version.replace(/\.0$/, '')})`,
}

function checkTexts(): void {
  expect(git('status', '--porcelain') === '', 'Uncommitted changes: a release is what is committed.')
  for (const [path, text] of Object.entries(repeated)) expect(read(path).includes(text), `${path} does not say ${text}`)
  expect(read('CHANGELOG.md').includes(`\n${heading}unreleased)\n`), `${version} is not the unreleased version`)
  expect(notes() !== '', 'CHANGELOG.md says nothing of this version')
  expect(git('tag', '--list', `v${version}`) === '', `The tag v${version} is there already.`)
}

/** Packs the service and the client, installs both as their users do, and starts them. */
function checkPackages(folder: string): void {
  const pack = (cwd: string) =>
    join(folder, run('npm', ['pack', '--silent', '--pack-destination', folder], join(root, cwd)))
  const packages = ['.', 'client'].map(pack)
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  run('npm', ['install', '--no-audit', '--no-fund', ...packages], project)
  const said = run(join(project, 'node_modules/.bin/menagerie'), ['--version'], project)
  expect(said === version, `The packed service says that it is ${said}`)
  const use = `import('menagerie-client').then(({ createClient }) => console.log(typeof createClient))`
  expect(run(process.execPath, ['-e', use], project) === 'function', 'The packed client exports no createClient')
  for (const path of packages) process.stdout.write(`packed, installed and started: ${path.split('/').at(-1)}\n`)
}

/** By the instructions of the Dockerfile, for the architecture of this machine. */
function checkImage(folder: string): boolean {
  if (process.getuid?.() !== 0) return false
  const image = join(folder, 'image')
  run(process.execPath, ['test/deploy/image-tree.ts', image])
  const { TEST_IMAGE: _, ...env } = process.env
  execFileSync(process.execPath, ['--test', '--test-timeout=120000', 'test/deploy/image.ts'], {
    cwd: root,
    env: { ...env, TEST_IMAGE: image },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.stdout.write('built and started: the image\n')
  return true
}

/** The tag is on what was proven; the heading of the changelog, which names that commit, follows it. */
function publish(): void {
  const commit = git('rev-parse', '--short=8', 'HEAD')
  git('tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--message', `${version}\n\n${notes()}`)
  writeFileSync(
    join(root, 'CHANGELOG.md'),
    read('CHANGELOG.md').replace(`${heading}unreleased)`, `${heading}${commit})`),
  )
  git('commit', '--quiet', '--message', `Name the commit of ${version} in CHANGELOG.md`, 'CHANGELOG.md')
  process.stdout.write(`Tagged ${commit} as v${version}. To publish: git push --follow-tags\n`)
}

expect(/^\d+\.\d+\.\d+$/.test(version), 'Usage: npm run release -- <version> [--dry-run]')
if (flags.notes) process.stdout.write(`${notes()}\n`)
else {
  checkTexts()
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-release-'))
  try {
    checkPackages(folder)
    const hasImage = checkImage(folder)
    const left = ['signature', 'provenance', 'image of the second architecture', 'upload']
    if (!hasImage) left.unshift('image (needs root on Debian)')
    process.stdout.write(
      `Not proven here, and left to the workflow: ${left.join(', ')}. Neither are the tests: .ci/run\n`,
    )
    if (flags['dry-run']) process.stdout.write(`${version} can be released. Nothing was changed.\n`)
    else publish()
  } finally {
    rmSync(folder, { recursive: true })
  }
}
