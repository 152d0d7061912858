/* Drawn on a grid of 24 units with lines of 2. Each stands beside its label. */

const paths = {
  overview: 'M4 13h6V4H4zM4 20h6v-3H4zM14 20h6v-9h-6zM14 4v3h6V4z',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-3.5 2.9-6 6.5-6s6.5 2.5 6.5 6M16 4.5a3.3 3.3 0 0 1 0 6.3M18 14.6c2.1.8 3.5 2.800 3.5 5.4',
  images: 'M4 5h16v14H4zM4 16l4.5-4.5 4 4L15 13l5 5M15.5 9h.01',
  reports: 'M6 21V4M6 4.5c4-2.5 8 2.5 13 0v9c-5 2.5-9-2.5-13 0',
  keys: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 12l8-8M15.5 7.5l3 3',
  audit: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  status: 'M2.5 12.5h4.5l3-8 4 15 3-7h4.5',
  reference: 'M12 6.5C10 5 7 4.5 3.5 5v14c3.5-.5 6.5 0 8.5 1.5 2-1.5 5-2 8.5-1.5V5C17 4.5 14 5 12 6.5zM12 6.5v14',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 21c0-4 3.3-6.5 7.5-6.5s7.5 2.5 7.5 6.5',
  leave: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  system: 'M3 5h18v11H3zM8.5 20h7M12 16v4',
  light:
    'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  dark: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)
