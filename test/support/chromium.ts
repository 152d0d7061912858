import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { atEnd } from './at-end.ts'
import { isFullSize } from './size.ts'

const executablePath = '/usr/bin/chromium'
const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** Why a suite is skipped; with CI set a missing browser fails it. */
export const noBrowser = !existsSync(executablePath) && !process.env.CI ? `no browser at ${executablePath}` : false
/** For suites whose promises other tests cover without a browser. */
export const noBrowserUnlessFull = (!isFullSize && 'only npm run test:all starts a browser for this') || noBrowser

/** Closed at the end of what started it. */
export async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({ executablePath, args: flags.split(' ') })
  atEnd(() => browser.close())
  return browser
}
