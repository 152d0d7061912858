import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './style/console.css'
import { Console } from './console.tsx'

// For the style that the dialogs' scroll lock adds.
setNonce(document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '')

// A file of the previous version is gone once the service has been upgraded.
addEventListener('vite:preloadError', (event) => {
  event.preventDefault()
  throw new Error('A new version of the console was installed. Reload this page.')
})

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <Console />
  </StrictMode>,
)
