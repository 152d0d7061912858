const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** Of several lists Chromium takes the last: below the first line stands what Playwright's would have, too. */
const withoutFeatures = `
  WebUIOmniboxPopup WebUIOmniboxAimPopup
  AimEnabled AvoidCorsURLLoaderRestartOnRedirect AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose
  HttpsFirstBalancedModeAutoEnable HttpsUpgrades LensOverlay MediaRouter NetworkTimeServiceQuerying OptimizationHints
  PaintHolding PreconnectToSearch ThirdPartyStoragePartitioning`

/** Debian's Chromium, which asks nothing of other machines by itself. */
export const launchOptions = {
  executablePath: '/usr/bin/chromium',
  args: [...flags.split(' '), `--disable-features=${withoutFeatures.trim().split(/\s+/)}`],
}
