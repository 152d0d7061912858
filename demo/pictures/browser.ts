import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { launchOptions } from '../../test/support/launch-options.ts'

/** Debian's fonts-dejavu-core. */
const fonts = '/usr/share/fonts/truetype/dejavu'
const fontFiles = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf', 'DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf']

const flags = [
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--disable-checker-imaging',
  '--disable-partial-raster',
  '--hide-scrollbars',
]

export interface PictureBrowser {
  readonly browser: Browser
  /** Of Chromium. */
  readonly version: string
  close(): Promise<void>
}

/** Chromium that draws the same on each machine: it knows two fonts, and no setting for them. */
export async function openPictureBrowser(): Promise<PictureBrowser> {
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-fonts-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    for (const name of fontFiles) {
      if (!existsSync(join(fonts, name))) throw new Error(`${join(fonts, name)} is missing: install fonts-dejavu-core`)
      symlinkSync(join(fonts, name), join(folder, name))
    }
    const config = join(folder, 'fonts.conf')
    writeFileSync(config, fontsConf(folder))
    const browser = await chromium.launch({
      ...launchOptions,
      args: [...launchOptions.args, ...flags],
      env: { ...process.env, FONTCONFIG_FILE: config, TZ: 'UTC', LANG: 'C.UTF-8' },
    })
    const close = () => browser.close().finally(remove)
    return { browser, version: browser.version(), close }
  } catch (error) {
    remove()
    throw error
  }
}

const alias = (family: string, font: string) =>
  `<match target="pattern"><test name="family"><string>${family}</string></test>
  <edit name="family" mode="assign" binding="strong"><string>${font}</string></edit></match>`

const fontsConf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir>
${['system-ui', 'sans-serif', 'sans'].map((family) => alias(family, 'DejaVu Sans')).join('\n')}
${['monospace', 'ui-monospace'].map((family) => alias(family, 'DejaVu Sans Mono')).join('\n')}
</fontconfig>
`
