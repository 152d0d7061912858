import {
  chooseFiles,
  click,
  clickLink,
  clickLinkOf,
  fill,
  type Step,
  see,
  seeButton,
  seeDialog,
  tick,
} from './steps.ts'
import type { Person, WorldName } from './worlds.ts'

export interface Reply {
  readonly method: string
  readonly path: string
  readonly body: { readonly status: number } & Readonly<Record<string, unknown>>
}

/** What the pictures show: a page, in a state, perhaps with a dialog. */
export interface Scene {
  readonly name: string
  readonly world: WorldName
  /** Signed in as this person; null: as nobody. */
  readonly as?: Person | null
  /** Of the console; a path that starts with `!` is one of the service. */
  readonly path: string
  /** 'page': from top to bottom in all widths; 'state': the same in fewer; 'dialog': what is in front; 'guide': one window. */
  readonly size: 'page' | 'state' | 'dialog' | 'guide'
  /** Of the window. */
  readonly height?: number
  /** What the browser gets instead of the service's replies to requests for data. */
  readonly network?: 'never replies' | 'fails'
  /** Replies that would contain a new secret or change what other pictures show. */
  readonly replies?: readonly Reply[]
  readonly steps?: readonly Step[]
}

const pages = [
  ['overview', '/overview'],
  ['users', '/users'],
  ['images', '/images'],
  ['reports', '/reports'],
  ['keys', '/keys'],
  ['audit', '/audit'],
  ['status', '/status'],
  ['component', '/status/backup'],
  ['sessions', '/sessions'],
  ['account', '/account'],
] as const
const someUser = '/users/01973567-0000-7000-8000-000000000000'
const many = (name: string, path: string, steps: readonly Step[] = [], others: Partial<Scene> = {}): Scene => ({
  name,
  world: 'many',
  path,
  size: 'dialog',
  steps,
  ...others,
})

const ofPages: readonly Scene[] = [
  ...pages.map(([name, path]) => many(name, path, [], { size: 'page' })),
  many('user', '/users?q=quokka', [clickLink('keen-quokka')], { size: 'page' }),
  many('public-status', '!/status', [], { size: 'page', as: null }),
  { name: 'sign-in', world: 'empty', as: null, path: '/overview', size: 'page' },
  { name: 'first-owner', world: 'new', as: null, path: '/overview', size: 'page' },
]

const ofStates: readonly Scene[] = [
  ...[...pages, ['user', someUser] as const].flatMap(([name, path]): Scene[] => [
    { name: `${name}-loading`, world: 'empty', path, size: 'dialog', network: 'never replies' },
    { name: `${name}-failed`, world: 'empty', path, size: 'dialog', network: 'fails', steps: [see('unknown')] },
  ]),
  ...pages.map(([name, path]): Scene => ({ name: `${name}-empty`, world: 'empty', path, size: 'state' })),
  ...pages
    .filter(([name]) => name !== 'component' && name !== 'sessions')
    .map(([name, path]): Scene => ({ name: `${name}-hostile`, world: 'few', path, size: 'state' })),
  { name: 'user-hostile', world: 'few', path: '/users', size: 'state', steps: [clickLink(/^the-longest/)] },
  { name: 'component-hostile', world: 'few', path: '/status', size: 'state', steps: [clickLink(/^job-/)] },
  { name: 'public-status-hostile', world: 'few', path: '!/status', as: null, size: 'state' },
  { name: 'user-gone', world: 'empty', path: someUser, size: 'dialog' },
  { name: 'no-such-page', world: 'empty', path: '/nowhere', size: 'dialog' },
  many('users-none-match', '/users?q=nobody'),
  many('audit-one', '/audit?action=ban', [clickLinkOf('Link to this event')]),
  many('reports-closed', '/reports?state=closed'),
  many('report-delete', '/reports', [click(/^Delete…/)]),
  many('overview-found', '/overview', [fill('Username or a part of it', 'quokka'), seeButton(/^Rename/)], {
    height: 640,
  }),
  many('overview-of-user', '/overview', [], { as: 'user', size: 'state' }),
  many('overview-of-support', '/overview', [], { as: 'support', size: 'state' }),
  many('users-of-support', '/users', [], { as: 'support' }),
  many('reports-of-moderator', '/reports', [], { as: 'moderator' }),
  many('not-allowed', '/audit', [], { as: 'user' }),
  {
    name: 'register',
    world: 'empty',
    as: null,
    path: '/overview',
    size: 'dialog',
    steps: [click('Create an account')],
  },
  {
    name: 'sign-in-refused',
    world: 'empty',
    as: null,
    path: '/overview',
    size: 'dialog',
    steps: [fill('Username', 'keeper'), fill('Password', 'a wrong password'), click('Sign in')],
  },
]

const seeSecret = see('I have copied it')
const user = { id: someUser.slice(7), username: 'new-narwhal', role: 'user', banned: false }
const userActs = [
  ['ban', 'Ban…'],
  ['change-role', 'Change role…'],
  ['rename', 'Rename…'],
  ['sign-out', 'Revoke all access…'],
  ['reset-password', 'Reset password…'],
  ['delete', 'Delete…'],
] as const

const earlier = '2026-06-01T08:00:00.000Z'
const signIns = ['Firefox on Windows', 'Safari on iOS'].map((browser) => ({
  ...{ id: user.id, browser, address: '192.0.2.7', current: false },
  ...{ createdAt: earlier, expiresAt: '2026-07-01T08:00:00.000Z', lastUsedAt: earlier },
}))

const ofUsers: readonly Scene[] = [
  many('users-columns', '/users', [click('Columns', 'text'), tick('Id')]),
  many('users-menu', '/users', [click('Actions on keen-quokka')], { path: '/users?q=quokka' }),
  many('create-user', '/users', [click('Create user')]),
  many('create-user-refused', '/users', [click('Create user'), fill('Username', 'keeper'), click('Create')]),
  many(
    'create-user-done',
    '/users',
    [click('Create user'), fill('Username', user.username), click('Create'), seeSecret],
    {
      replies: [
        {
          method: 'POST',
          path: '/admin/user/create',
          body: { status: 201, message: 'User created', user, password: 'fQ2-7xv-Kd9-mPw' },
        },
      ],
    },
  ),
  ...userActs.map(([name, label]) =>
    many(`user-${name}`, '/users?q=quokka', [clickLink('keen-quokka'), click(label, 'main'), seeDialog]),
  ),
  many('user-end-session', '/users?q=quokka', [clickLink('keen-quokka'), click('Sign out Firefox on Windows')], {
    replies: [{ method: 'GET', path: '/admin/user/sessions?*', body: { status: 200, sessions: signIns } }],
  }),
  many('crashed', '/users', [], {
    replies: [{ method: 'GET', path: '/admin/users/dashboard*', body: { status: 200, users: [null] } }],
  }),
]

const foxes = '/images?kind=fox'
const [dusk, asleep] = [tick('Select fox-at-dusk.png'), tick('Select fox-asleep.png')]
const opened = click('fox-at-dusk.png')

const ofImages: readonly Scene[] = [
  many('images-kind', '/images?kind=wallpaper', [], { height: 560 }),
  many('images-filters', foxes, [click('More filters', 'text')], { height: 560 }),
  many('images-selected', foxes, [dusk, asleep], { height: 720 }),
  ...['Describe', 'Hide', 'Move', 'Download', 'Delete'].map((label) =>
    many(`images-${label.toLowerCase()}`, foxes, [dusk, asleep, click(label, 'main')]),
  ),
  many('image', foxes, [opened]),
  many('image-details', foxes, [opened, click('Edit details')]),
  many('image-report', foxes, [opened, click('Report')]),
  many('image-more', foxes, [opened, click('More acts')]),
  { name: 'image-hostile', world: 'few', path: foxes, size: 'dialog', steps: [click(/^a-name-that/)] },
  { name: 'images-hidden', world: 'few', path: foxes, size: 'dialog', steps: [click(/hidden image/, 'text')] },
  many('test-store', foxes, [click('Test store')]),
  many('images-identical', foxes, [click('Find identical')], { height: 340 }),
  many('images-hide-done', foxes, [dusk, asleep, click('Hide', 'main'), click(/^Hide/), see('Undo')], {
    height: 480,
    replies: [{ method: 'POST', path: '/admin/images/hide', body: { status: 200, hidden: true } }],
  }),
  many('uploads', foxes, [chooseFiles('dawn.png', 'noon.png', 'not-an-image.png'), see('failed')], {
    world: 'empty',
    replies: [
      { method: 'POST', path: '/admin/s3/upload?*', body: { status: 200, message: 'Object uploaded' } },
      {
        method: 'POST',
        path: '/admin/s3/upload?*not-an-image.png*',
        body: { status: 400, message: 'The body is not a image/png image' },
      },
    ],
  }),
]

const [createKey, createLink] = [click('Create key'), click('Create link')]
const at = new Date('2026-06-03T14:20:00.000Z').toISOString()

const ofKeys: readonly Scene[] = [
  many('create-key', '/keys', [createKey]),
  many('create-key-done', '/keys', [createKey, fill('Name', 'photo frame'), click('Create'), seeSecret], {
    replies: [
      {
        method: 'POST',
        path: '/auth/keys',
        body: {
          status: 201,
          id: user.id,
          name: 'photo frame',
          scopes: ['images'],
          createdAt: at,
          expiresAt: null,
          lastUsedAt: null,
          requests: 0,
          limitPerMinute: null,
          key: `mng_${'0123456789abcdef'.repeat(3)}`,
        },
      },
    ],
  }),
  many('rotate-key', '/keys', [click(/^Rotate/)]),
  many('revoke-key', '/keys', [click(/^Revoke/)]),
  many('create-link', '/keys', [createLink]),
  many('create-link-done', '/keys', [createLink, click('Create'), seeDialog], {
    replies: [
      {
        method: 'POST',
        path: '/auth/embed',
        body: {
          status: 201,
          id: user.id,
          url: `https://menagerie.example.org/e/${'0123456789abcdef'.repeat(2)}`,
          kinds: ['fox'],
          repeat: 'yes',
          orientation: null,
          createdAt: at,
          expiresAt: at,
          lastUsedAt: null,
        },
      },
    ],
  }),
  many('revoke-link', '/keys', [click(/^Revoke link/)]),
  many('end-session', '/sessions', [click(/^Sign out Firefox/)]),
]

const diagnosis = {
  config: {
    statusApiBaseUrl: 'https://status.example.org',
    tokenPreview: '…9f3c',
    kind: 'uptime-kuma',
    allowList: ['127.0.0.1', '10.0.0.0/8'],
    heartbeatTimeoutSeconds: 300,
    maintenanceTimeoutSeconds: 3600,
    checkIntervalSeconds: 15,
    startGraceSeconds: 120,
    flapSeconds: 0,
    groupSeconds: 5,
    publishSilence: true,
    maxComponents: 1000,
    pushWaitMs: 2000,
    pushTimeoutMs: 10_000,
  },
  statusApi: {
    url: 'https://status.example.org',
    reached: true,
    httpStatus: 401,
    durationMs: 84,
    contentType: 'application/json',
    body: '{"ok":false,"msg":"You are not authorized."}',
    error: null,
  },
}

const ofStatus: readonly Scene[] = [
  many('retire-component', '/status', [click('Retire backup')]),
  many('open-incident', '/status', [click('Open an incident')]),
  many('update-incident', '/status', [click(/^Write an update/)]),
  { name: 'resolve-incident', world: 'few', path: '/status', size: 'dialog', steps: [click(/^Resolve /)] },
  { name: 'delete-incident', world: 'few', path: '/status', size: 'dialog', steps: [click(/^Delete…/), seeDialog] },
  many('plan-maintenance', '/status', [click('Plan maintenance')]),
  many('cancel-maintenance', '/status', [click('Cancel maintenance'), seeDialog]),
  many('plan-recurring', '/status', [click('Plan recurring maintenance'), fill('Schedule', '0 3 * * 0')]),
  many('announce', '/status', [click('New announcement')]),
  {
    name: 'diagnostics',
    world: 'empty',
    path: '/status',
    size: 'state',
    steps: [click('Run'), see('Heartbeat timeout')],
    replies: [{ method: 'GET', path: '/admin/status/diag', body: { status: 200, ...diagnosis } }],
  },
  many('mute', '/status/backup', [click('Mute')]),
  many('change-schedule', '/status/backup', [click('Change schedule')]),
  many('change-password-refused', '/account', [
    ...[fill('Current password', 'a wrong password'), fill('New password', 'a new one that is long')],
    click('Change password'),
  ]),
  many('delete-account', '/account', [click('Delete account…')]),
]

export const scenes: readonly Scene[] = [...ofPages, ...ofStates, ...ofUsers, ...ofImages, ...ofKeys, ...ofStatus]

const guide = (name: string, path: string, steps: readonly Step[] = [], others: Partial<Scene> = {}) =>
  many(name, path, steps, { size: 'guide', height: 800, ...others })

/** In README and the guides. */
export const guides: readonly Scene[] = [
  guide('overview', '/overview'),
  // Those with the most requests are of all roles.
  guide('users', '/users?sort=-total'),
  guide('images', '/images?kind=wallpaper'),
  // Down to the first bars.
  guide('status', '!/status', [], { as: null, height: 1030 }),
]
