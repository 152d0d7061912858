import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { extraKind } from './images.ts'

const size = { width: 1280, height: 800 }
const folder = join(import.meta.dirname, '../docs/screenshots')

/** Writes the pictures of README and the guides to docs/screenshots/. */
export async function takeScreenshots(
  url: string,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  try {
    const page = await browser.newPage({ viewport: size, colorScheme: 'light' })
    await page.goto(`${url}/status`)
    // Down to the first bars.
    await page.setViewportSize({ ...size, height: 1030 })
    await take(page, 'status')
    await page.setViewportSize(size)
    await page.goto(`${url}/console`)
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    for (const name of ['Overview', 'Users', 'Images']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      // Those with the most requests are of all roles.
      if (name === 'Users') await page.getByRole('button', { name: 'Requests' }).click()
      if (name === 'Images') await page.getByRole('link', { name: extraKind }).click()
      await take(page, name.toLowerCase())
    }
  } finally {
    await browser.close()
  }
}

/** Nothing says that it loads, and all images in the window are there. */
const isLoaded = `!document.querySelector('.loading, [aria-busy=true]') && [...document.images].every(
  (image) => image.getBoundingClientRect().top > innerHeight || (image.complete && image.naturalWidth > 0))`

async function take(page: Page, name: string): Promise<void> {
  do await page.waitForTimeout(500)
  while (!(await page.evaluate(isLoaded)))
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path, animations: 'disabled' })
  process.stdout.write(`${path}: ${Math.ceil(statSync(path).size / 1000)} kB\n`)
}
