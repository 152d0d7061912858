import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { atEnd } from './at-end.ts'
import { launchOptions } from './launch-options.ts'
import { isFullSize } from './size.ts'

/** Why a suite is skipped; with CI set a missing browser fails it. */
export const noBrowser =
  !existsSync(launchOptions.executablePath) && !process.env.CI ? `no browser at ${launchOptions.executablePath}` : false
/** For suites whose promises other tests cover without a browser. */
export const noBrowserUnlessFull = (!isFullSize && 'only npm run test:all starts a browser for this') || noBrowser

/** Closed at the end of what started it. */
export async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch(launchOptions)
  atEnd(() => browser.close())
  return browser
}
