import { existsSync } from 'node:fs'

const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** Chromium uses only the last such list, so everything below the first line repeats Playwright's. */
const withoutFeatures = `
  WebUIOmniboxPopup WebUIOmniboxAimPopup
  AimEnabled AvoidCorsURLLoaderRestartOnRedirect AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose
  HttpsFirstBalancedModeAutoEnable HttpsUpgrades LensOverlay MediaRouter NetworkTimeServiceQuerying OptimizationHints
  PaintHolding PreconnectToSearch ThirdPartyStoragePartitioning`

/** The first draws no window of its own, which saves CPU. */
const executables = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const

/** Debian's Chromium, configured not to contact other machines by itself. */
export const launchOptions = {
  executablePath: executables.find((path) => existsSync(path)) ?? executables[1],
  args: [...flags.split(' '), `--disable-features=${withoutFeatures.trim().split(/\s+/)}`],
}
