const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** Chromium uses only the last such list, so everything below the first line repeats Playwright's. */
const withoutFeatures = `
  WebUIOmniboxPopup WebUIOmniboxAimPopup
  AimEnabled AvoidCorsURLLoaderRestartOnRedirect AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose
  HttpsFirstBalancedModeAutoEnable HttpsUpgrades LensOverlay MediaRouter NetworkTimeServiceQuerying OptimizationHints
  PaintHolding PreconnectToSearch ThirdPartyStoragePartitioning`

/** Debian's Chromium, configured not to contact other machines by itself. */
export const launchOptions = {
  executablePath: '/usr/bin/chromium',
  args: [...flags.split(' '), `--disable-features=${withoutFeatures.trim().split(/\s+/)}`],
}
