import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { atEndOfFile } from './at-end.ts'
import { launchOptions } from './launch-options.ts'
import { isFullSize } from './size.ts'

/** Why a suite is skipped. In CI, a missing browser fails it instead. */
export const noBrowser =
  !existsSync(launchOptions.executablePath) && !process.env.CI ? `no browser at ${launchOptions.executablePath}` : false
/** For suites whose guarantees other tests cover without a browser. */
export const noBrowserUnlessFull = (!isFullSize && 'only npm run test:all starts a browser for this') || noBrowser

let launched: Promise<Browser> | undefined

/** The browser of this process, shared by its files and closed at its end. */
export async function launchBrowser(): Promise<Browser> {
  const browser = await launched
  if (browser?.isConnected()) return browser
  const { chromium } = await import('playwright-core')
  launched = chromium.launch(launchOptions)
  const opened = await launched
  atEndOfFile(() => opened.close())
  return opened
}
