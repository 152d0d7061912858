import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './style/console.css'
import { Console } from './console.tsx'

// For the style that the scroll lock of dialogs adds.
setNonce(document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '')

// More specific than the browser's own text, which makes the router reload the page.
addEventListener('vite:preloadError', ({ payload }) => {
  payload.message =
    'A part of the console cannot be loaded: the service cannot be reached, or a newer version was installed. If trying again does not help, reload the page.'
})

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <Console />
  </StrictMode>,
)
