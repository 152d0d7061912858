import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { launchOptions } from '../support/launch-options.ts'

/* Scores the pages of the demo: node test/console/lighthouse.ts <path of Lighthouse's program>. */

const minimumScore = 95
const onlyCategories = ['accessibility', 'best-practices']

interface Report {
  readonly finalDisplayedUrl: string
  readonly runtimeError?: { readonly message: string }
  readonly categories: Record<string, { readonly score: number | null }>
  readonly audits: Record<string, { readonly id: string; readonly score: number | null; readonly details?: unknown }>
}

const program = realpathSync(process.argv[2] ?? '')
const { default: lighthouse } = await import(join(program, '../../core/index.js'))
const puppeteer = await import(createRequire(program).resolve('puppeteer-core'))

const demo = spawn(process.execPath, [join(import.meta.dirname, '../../demo/run.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const browser = await puppeteer.launch(launchOptions)
try {
  const { url, username, password } = await readDemo()
  const page = await browser.newPage()
  const score = async (path: string) => {
    // Without the reset, the session stays in the storage of the tab.
    const options = { onlyCategories, disableStorageReset: true, logLevel: 'error' }
    report((await lighthouse(url + path, options, undefined, page)).lhr)
  }
  await score('/status')
  await score('/docs')
  await score('/console')
  assert.equal(await page.title(), 'Sign in · Menagerie')

  await page.type('input[name=username]', username)
  await page.type('input[name=password]', password)
  await page.click('button[type=submit]')
  await page.waitForSelector('nav')
  await score('/console#/overview')
  assert.equal(await page.title(), 'Overview · Menagerie')
} finally {
  await browser.close()
  demo.kill()
}

function report({ finalDisplayedUrl, runtimeError, categories, audits }: Report): void {
  if (runtimeError) throw new Error(runtimeError.message)
  const scores = Object.entries(categories).map(([name, { score }]) => ({ name, score: (score ?? 0) * 100 }))
  console.log(finalDisplayedUrl, ...scores.map(({ name, score }) => `${name} ${score.toFixed()}`))
  for (const { id, score, details } of Object.values(audits))
    if (score !== null && score < 1) console.log(`  ${id}: ${JSON.stringify(details).slice(0, 2000)}`)
  if (scores.some(({ score }) => score < minimumScore)) process.exitCode = 1
}

/** What the demo prints once it has started. */
async function readDemo() {
  let text = ''
  for await (const line of createInterface(demo.stdout)) {
    text += `${line}\n`
    if (line.startsWith('Seed')) break
  }
  const [, url = '', username = '', password = ''] =
    /^Console +(\S+)\/console$.*^Sign in as +(\S+).*^Password +([^\n]+)$/ms.exec(text) ?? []
  assert.notEqual(password, '', `the demo printed ${JSON.stringify(text)}`)
  return { url, username, password }
}
