const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** Debian's Chromium, which asks nothing of other machines by itself. */
export const launchOptions = { executablePath: '/usr/bin/chromium', args: flags.split(' ') }
