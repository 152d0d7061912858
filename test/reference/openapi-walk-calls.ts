import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/* The calls of openapi-walk.ts: each operation with a success and, if it has errors of its own, one of those. */

interface Input {
  readonly token?: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Record<string, string>
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

// biome-ignore lint/suspicious/noExplicitAny: what it replies is for the proxy to judge
export type Caller = (operation: string, status: number, input?: Input) => Promise<any>

interface Services {
  readonly api: Caller
  readonly worker: Caller
  /** Operations of the API without input and errors of their own. */
  readonly plain: readonly string[]
  readonly password: string
}

export async function calls({ api, worker, plain, password }: Services): Promise<void> {
  for (const operation of plain) await api(operation, 200)
  await api('getMetrics', 200)
  await api('getMetrics', 403, { headers: { 'X-Forwarded-For': '192.0.2.7' } })
  const keeper = (await api('login', 200, { body: { username: 'keeper', password } })).accessToken
  const bot = await callAccounts(api)
  await callImages(api, bot)
  await callGrants(api, keeper, bot)
  await callReports(api, keeper, bot)
  await callActs(api, keeper)
  await callLists(api, keeper)
  await callConsole(api, keeper, bot)
  await callStatusPage(api)
  await callStatusWrites(api, worker, keeper)
  await callStore(api, keeper)
  await callWorker(worker)
}

const refused = { token: 'Bearer not.a.token' }
const newPassword = 'another horse, another battery'

/** Returns the token of a user. */
async function callAccounts(api: Caller): Promise<string> {
  const body = { username: 'bot', password: 'correct horse battery' }
  await api('register', 201, { body })
  await api('register', 409, { body })
  await api('login', 401, { body: { ...body, password: 'wrong' } })
  const first = (await api('login', 200, { body })).accessToken
  await api('getMe', 200, { token: first })
  await api('getMe', 401, refused)
  await api('getOwnUsage', 200, { token: first, query: { from: '2026-01-31' } })
  await api('getOwnUsage', 400, { token: first, query: { from: 'x' } })
  const change = { currentPassword: body.password, newPassword }
  const { accessToken } = await api('changePassword', 200, { token: first, body: change })
  await api('changePassword', 401, { token: accessToken, body: change })
  await api('logout', 200, { token: accessToken })
  await api('logout', 401, refused)
  const leaver = (await api('register', 201, { body: { ...body, username: 'leaver' } })).accessToken
  await api('deleteAccount', 401, { token: leaver, body: { password: 'wrong' } })
  await api('deleteAccount', 200, { token: leaver, body: { password: body.password } })
  return (await api('login', 200, { body: { username: 'bot', password: newPassword } })).accessToken
}

async function callImages(api: Caller, token: string): Promise<void> {
  const params = { kind: 'fox' }
  const ofTheDay = { per: 'day', tz: 'Europe/Berlin' }
  const ways = [{ as: 'json' }, { as: 'text' }, { as: 'bytes' }, { count: '2', seed: 'a' }, ofTheDay]
  for (const query of ways) {
    await api('randomImage', 200, { token, params, query })
    await api('randomImageOfKinds', 200, { token, query: { ...query, kinds: 'fox,hug' } })
  }
  // The proxy follows the redirect.
  await api('randomImage', 200, { token, params, query: { as: 'redirect' } })
  await api('randomImage', 206, { token, params, query: { as: 'bytes' }, headers: { Range: 'bytes=0-9' } })
  await api('randomImage', 400, { token, params, query: { as: 'bytes', count: '2' } })
  await api('listKinds', 200, { token })
  await api('listKinds', 401, refused)
  const page = await api('listImages', 200, { token, params, query: { limit: '1' } })
  await api('listImages', 400, { token, params, query: { cursor: 'none' } })
  await api('randomImage', 200, { token, params, query: { without: 'nothing' } })
  await api('randomImage', 404, { token, params, query: { tags: 'nothing' } })
  const { name, etag } = page.images[0]
  const [folder = '', filename = ''] = name.split('/')
  const image = { folder, filename }
  await api('describeImage', 200, { token, params: { kind: folder, file: filename } })
  await api('describeImage', 404, { token, params: { kind: folder, file: 'none.png' } })
  await api('getImage', 200, { params: image })
  await api('getImage', 206, { params: image, headers: { Range: 'bytes=0-9' } })
  await api('getImage', 304, { params: image, headers: { 'If-None-Match': `"${etag}"` } })
  await api('getImage', 404, { params: { folder: 'fox', filename: 'none.png' } })
  await api('getImage', 412, { params: image, headers: { 'If-Match': '"other"' } })
  await api('getImage', 416, { params: image, headers: { Range: 'bytes=99999999-' } })
}

/** API keys and embed links. */
async function callGrants(api: Caller, keeper: string, token: string): Promise<void> {
  const terms = { name: 'frame', scopes: ['images'] }
  const none = { params: { id: 'none' } }
  const [one, other] = [
    await api('createKey', 201, { token, body: terms }),
    await api('createKey', 201, { token, body: terms }),
  ].map(({ id }) => ({ params: { id } }))
  await api('createKey', 401, { ...refused, body: terms })
  await api('listKeys', 200, { token })
  await api('listKeys', 401, refused)
  await api('rotateKey', 200, { token, ...one, body: { graceSeconds: 60 } })
  await api('rotateKey', 404, { token, ...none, body: {} })
  await api('revokeKey', 200, { token, ...one })
  await api('revokeKey', 404, { token, ...none })
  await api('listKeysOfUser', 200, { token: keeper, query: { username: 'bot' } })
  await api('listKeysOfUser', 404, { token: keeper, query: { username: 'nobody' } })
  for (const list of ['listSessionsOfUser', 'listEmbedLinksOfUser']) {
    await api(list, 200, { token: keeper, query: { username: 'bot' } })
    await api(list, 404, { token: keeper, query: { username: 'nobody' } })
  }
  await api('revokeKeyOfUser', 200, { token: keeper, ...other })
  await api('revokeKeyOfUser', 404, { token: keeper, ...none })
  const { id, url } = await api('createEmbedLink', 201, { token, body: { kind: 'fox' } })
  const spare = await api('createEmbedLink', 201, { token, body: { kind: 'fox' } })
  await api('revokeEmbedLinkOfUser', 200, { token: keeper, params: { id: spare.id } })
  await api('revokeEmbedLinkOfUser', 404, { token: keeper, ...none })
  await api('createEmbedLink', 400, { token, body: { kind: 'fox', tags: 'No' } })
  await api('createEmbedLink', 201, { token, body: { kind: 'fox', without: ['snow'] } })
  await api('createEmbedLink', 401, { ...refused, body: { kind: 'fox' } })
  await api('createEmbedLink', 201, { token, body: { kind: 'fox', per: 'week', tz: 'America/New_York' } })
  await api('listEmbedLinks', 200, { token })
  await api('listEmbedLinks', 401, refused)
  const shown = { params: { token: new URL(url).pathname.slice('/e/'.length) } }
  await api('getEmbeddedImage', 200, shown)
  await api('getEmbeddedImage', 206, { ...shown, headers: { Range: 'bytes=0-9' } })
  await api('revokeEmbedLink', 200, { token, params: { id } })
  await api('revokeEmbedLink', 404, { token, ...none })
  await api('getEmbeddedImage', 404, shown)
}

async function callReports(api: Caller, token: string, bot: string): Promise<void> {
  const { images } = await api('listImages', 200, { token, params: { kind: 'hug' }, query: { limit: '1' } })
  const [{ name }] = images
  const file = name.slice('hug/'.length)
  const details = { alt: 'A hug', source: 'https://example.org/hug', tags: ['hug'] }
  await api('changeImageDetails', 200, { token, params: { kind: 'hug', file }, body: details })
  await api('changeImageDetails', 404, { token, params: { kind: 'hug', file: 'none.png' }, body: details })
  await api('listTags', 200, { token: bot })
  await api('listTags', 400, { token: bot, query: { kinds: 'none' } })
  await api('listTags', 401, refused)
  const body = { name, reason: 'Not a hug' }
  await api('reportImage', 201, { token: bot, body })
  await api('reportImage', 409, { token: bot, body })
  await api('listReports', 403, { token: bot })
  const { reports } = await api('listReports', 200, { token })
  const params = { id: reports[0].id }
  await api('resolveReport', 200, { token, params, body: { action: 'hide' } })
  await api('resolveReport', 409, { token, params, body: { action: 'keep' } })
  await api('listReports', 200, { token, query: { state: 'closed', limit: '1' } })
  await api('unhideImage', 200, { token, body: { name } })
  await api('unhideImage', 400, { token, body: { name } })
  await api('hideImage', 200, { token, body: { name } })
  await api('hideImage', 409, { token, body: { name } })
  await api('listHiddenImages', 200, { token })
  await api('listHiddenImages', 400, { token, query: { cursor: '!' } })
  await api('getImageEvenIfHidden', 200, { token, params: { kind: 'hug', file } })
  await api('getImageEvenIfHidden', 404, { token, params: { kind: 'hug', file: 'none.png' } })
  await api('unhideImage', 200, { token, body: { name } })
  await api('moveImage', 200, { token, body: { name, to: `hug/moved-${file}` } })
  await api('moveImage', 404, { token, body: { name, to: 'hug/none.png' } })
}

async function callActs(api: Caller, token: string): Promise<void> {
  const [body, nobody] = [{ username: 'member' }, { username: 'nobody' }]
  const made = await api('createUser', 200, { token, body: { ...body, role: 'user' } })
  await api('createUser', 409, { token, body: { ...body, role: 'user' } })
  await api('login', 200, { body: { ...body, password: made.password } })
  const acts = [
    ['banUser', { reason: 'Spam', until: '2100-01-01T00:00:00Z' }],
    ['unbanUser', {}],
    ['changeRole', { role: 'moderator' }],
    ['renameUser', { newUsername: 'Member' }],
    ['revokeToken', {}],
    ['resetPassword', {}],
  ] as const
  for (const [operation, terms] of acts) {
    if (operation === 'unbanUser') await api('getBan', 200, { token, query: body })
    await api(operation, 200, { token, query: { dryRun: 'true' }, body: { ...body, ...terms } })
    await api(operation, 200, { token, body: { ...body, ...terms } })
    await api(operation, 404, { token, body: { ...nobody, ...terms } })
  }
  await api('getBan', 200, { token, query: body })
  await api('getBan', 404, { token, query: nobody })
  await api('deleteUser', 200, { token, body: { userId: made.user.id } })
  await api('deleteUser', 404, { token, body })
}

async function callLists(api: Caller, token: string): Promise<void> {
  await api('findUser', 200, { token, query: { username: 'bot' } })
  await api('findUser', 404, { token, query: { username: 'nobody' } })
  const ofService = [
    ...['getService', 'countRoles', 'listStatusComponents', 'listStatusIncidents', 'getStatusDiagnostics'],
    ...['listStatusMaintenance', 'listStatusAnnouncements', 'listStatusTargets'],
  ]
  for (const list of ['listUsers', 'getDashboard', 'getUsage', 'listAuditEvents', ...ofService]) {
    await api(list, 200, { token })
    await api(list, 401, refused)
  }
  for (const list of ['listUsers', 'getDashboard', 'listAuditEvents']) {
    await api(list, 200, { token, query: { limit: '1' } })
    await api(list, 400, { token, query: { cursor: 'none' } })
  }
}

async function callConsole(api: Caller, keeper: string, token: string): Promise<void> {
  const headers = { 'X-Menagerie-Console': '1' }
  const body = { username: 'bot', password: newPassword }
  await api('startSession', 200, { headers, body })
  await api('startSession', 401, { headers, body: { ...body, password: 'wrong' } })
  const { sessions } = await api('listSessions', 200, { token })
  await api('listSessions', 401, refused)
  await api('endSession', 200, { token, params: { id: sessions[0].id }, body: {} })
  await api('endSession', 404, { token, params: { id: sessions[0].id }, body: {} })
  await api('startSession', 200, { headers, body })
  const [next] = (await api('listSessions', 200, { token })).sessions
  await api('endSessionOfUser', 200, { token: keeper, params: { id: next.id } })
  await api('endSessionOfUser', 404, { token: keeper, params: { id: next.id } })
  await api('endCurrentSession', 200, { headers })
  await api('endCurrentSession', 403)
  await api('createFirstOwner', 404, { headers, body: { ...body, code: 'none' } })
  const [file = ''] = readdirSync(join(import.meta.dirname, '../../console/dist/console'))
  await api('getConsoleFile', 200, { params: { file } })
  await api('getConsoleFile', 404, { params: { file: 'none.js' } })
}

/** The page shows the component `backup`, which has sent no heartbeat yet. */
async function callStatusPage(api: Caller): Promise<void> {
  await api('getStatusBadge', 200, { params: { badge: 'backup.svg' } })
  await api('getStatusBadge', 200, { params: { badge: 'backup.svg' }, query: { days: '30' } })
  await api('getStatusBadge', 200, { params: { badge: 'backup.json' } })
  await api('getStatusBadge', 404, { params: { badge: 'nobody.svg' } })
  await api('getStatuspageSummary', 200)
  await api('getStatuspageStatus', 200)
  await api('getStatusCalendar', 200)
}

async function callStatusWrites(api: Caller, worker: Caller, token: string): Promise<void> {
  await worker('sendHeartbeat', 200, { params: { componentId: 'old' }, body: { status: 'operational' } })
  await api('retireStatusComponent', 200, { token, params: { id: 'old' }, query: { publish: 'nothing' } })
  await api('retireStatusComponent', 404, { token, params: { id: 'old' } })
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const [window, text] = [{ components: ['old'], until }, { text: 'New disks' }]
  const { maintenance } = await api('announceStatusMaintenance', 201, { token, body: window })
  await api('announceStatusMaintenance', 401, { ...refused, body: window })
  const longer = { token, params: { id: maintenance.id }, body: { text: 'Two of them' } }
  await api('changeStatusMaintenance', 200, longer)
  await api('changeStatusMaintenance', 401, { ...longer, ...refused })
  const { announcement } = await api('announceOnStatusPage', 201, { token, body: text })
  await api('announceOnStatusPage', 401, { ...refused, body: text })
  for (const [operation, { id }] of [
    ['endStatusMaintenance', maintenance],
    ['endStatusAnnouncement', announcement],
  ]) {
    await api(operation, 200, { token, params: { id } })
    await api(operation, 409, { token, params: { id } })
  }
  const often = { components: ['old'], schedule: '0 3 * * 0', tz: 'Europe/Berlin', durationSeconds: 7_200 }
  const { recurring } = await api('announceRecurringStatusMaintenance', 201, { token, body: often })
  await api('announceRecurringStatusMaintenance', 401, { ...refused, body: often })
  await api('listRecurringStatusMaintenance', 200, { token })
  await api('listRecurringStatusMaintenance', 401, refused)
  await api('endRecurringStatusMaintenance', 200, { token, params: { id: recurring.id } })
  await api('endRecurringStatusMaintenance', 409, { token, params: { id: recurring.id } })
  await callIncidents(api, worker, token)
  const link = { params: { token: 'x'.repeat(43) } }
  await api('showAcknowledgement', 404, link)
  await api('acknowledgeByLink', 404, link)
  await api('testStatusTarget', 200, { token, params: { name: 'hook' } })
  await api('testStatusTarget', 429, { token, params: { name: 'hook' } })
}

async function callIncidents(api: Caller, worker: Caller, token: string): Promise<void> {
  const opening = { title: 'Slow', level: 'degraded', text: 'We look into it', components: ['backup'] }
  const { incident } = await api('openStatusIncident', 201, { token, body: opening })
  await api('openStatusIncident', 401, { ...refused, body: opening })
  const update = { stage: 'identified', text: 'A disk' }
  await api('updateStatusIncident', 201, { token, params: { id: incident.id }, body: update })
  await api('updateStatusIncident', 404, { token, params: { id: 'none' }, body: update })
  await api('listWrittenStatusIncidents', 200, { token })
  await api('listWrittenStatusIncidents', 401, refused)
  await api('getStatusIncident', 200, { params: { incident: incident.id } })
  await api('getStatusIncident', 404, { params: { incident: 'none' } })
  await api('deleteStatusIncident', 200, { token, params: { id: incident.id } })
  await api('deleteStatusIncident', 404, { token, params: { id: incident.id } })
  const down = { token, params: { id: 'down' } }
  await worker('sendHeartbeat', 200, { params: { componentId: 'down' }, body: { status: 'outage' } })
  await api('acknowledgeStatusOutage', 200, down)
  await api('acknowledgeStatusOutage', 409, down)
  await callComponents(api, worker, token)
  const body = { until: new Date(Date.now() + 3_600_000).toISOString() }
  await api('muteStatusComponent', 200, { ...down, body })
  await api('muteStatusComponent', 404, { token, params: { id: 'nobody' }, body })
  await api('unmuteStatusComponent', 200, down)
  await api('unmuteStatusComponent', 409, down)
}

async function callComponents(api: Caller, worker: Caller, token: string): Promise<void> {
  const [job, nobody] = ['job', 'nobody'].map((id) => ({ token, params: { id } }))
  await worker('startRun', 200, { params: { componentId: 'job' }, query: { rid: 'two' } })
  await api('listStatusRuns', 200, job)
  await api('listStatusRuns', 404, nobody)
  const body = { schedule: '0 3 * * 1-5', tz: 'Europe/Berlin', maxRunSeconds: 7_200 }
  await api('changeStatusComponent', 200, { ...job, body })
  await api('changeStatusComponent', 404, { ...nobody, body })
}

async function callStore(api: Caller, token: string): Promise<void> {
  await api('testStore', 200, { token })
  await api('testStore', 200, { token, query: { bucketExists: 'images' } })
  await api('testStore', 401, refused)
  const headers = { 'Content-Type': 'image/png' }
  const file = { bucketName: 'images', objectName: 'smug/made.png' }
  const body = Buffer.from('89504e470d0a1a0a', 'hex')
  await api('uploadImage', 200, { token, query: file, body, headers })
  await api('uploadImage', 200, { token, query: { ...file, objectName: 'smug/copy.png' }, body, headers })
  const { duplicates } = await api('listDuplicates', 200, { token, query: { limit: '1' } })
  await api('listDuplicates', 200, { token, query: { cursor: duplicates[0].etag } })
  await api('listDuplicates', 400, { token, query: { cursor: 'none' } })
  await api('listSetAside', 200, { token })
  await api('listSetAside', 400, { token, query: { cursor: 'none' } })
  await api('listProblems', 200, { token })
  await api('listProblems', 401, refused)
  await api('uploadImage', 404, { token, query: { ...file, bucketName: 'no-such-bucket' }, body, headers })
  const params = { kind: 'smug' }
  for (const { name } of (await api('listImages', 200, { token, params })).images)
    await api('deleteImage', 200, { token, query: { ...file, objectName: name } })
  await api('randomImage', 404, { token, params })
  await api('randomImageOfKinds', 404, { token, query: { kinds: 'smug' } })
  await api('deleteImage', 404, { token, body: { bucketName: 'images', etag: 'none' } })
}

async function callWorker(worker: Caller): Promise<void> {
  const params = { componentId: 'backup', status: 'operational' }
  const message = 'exit code 0'
  await worker('sendHeartbeat', 200, { params, body: { status: 'degraded', expectWithinSeconds: 60, message } })
  await worker('sendHeartbeatWithoutBody', 200, { params, query: { graceSeconds: '5', instance: 'web1' } })
  await worker('sendHeartbeatByGet', 200, { params })
  await worker('sendHeartbeatByGet', 404, { params: { ...params, componentId: 'nobody' } })
  for (const list of ['listComponentHealth', 'listComponents', 'listIncidents', 'listUptime', 'listTargets'])
    await worker(list, 200)
  for (const one of ['getComponentHealth', 'listStatusChanges', 'getUptime']) {
    await worker(one, 200, { params })
    await worker(one, 404, { params: { componentId: 'nobody' } })
  }
  await callRuns(worker)
  await callAcknowledgements(worker)
  const body = { components: ['backup'], until: new Date(Date.now() + 3_600_000).toISOString(), text: 'New disks' }
  const { maintenance } = await worker('announceMaintenance', 201, { body })
  await worker('listMaintenance', 200, { query: { state: 'active' } })
  const [known, unknown] = [maintenance.id, 'none'].map((maintenanceId) => ({ params: { maintenanceId } }))
  await worker('changeMaintenance', 200, { ...known, body: { text: 'Newer disks' } })
  await worker('changeMaintenance', 404, { ...unknown, body: {} })
  await worker('endMaintenance', 200, known)
  await worker('endMaintenance', 409, known)
  const often = { components: ['backup'], schedule: '@weekly', durationSeconds: 600 }
  const { recurring } = await worker('announceRecurringMaintenance', 201, { body: often })
  await worker('listRecurringMaintenance', 200)
  const [weekly, never] = [recurring.id, 'none'].map((recurringId) => ({ params: { recurringId } }))
  await worker('endRecurringMaintenance', 200, weekly)
  await worker('endRecurringMaintenance', 404, never)
  const announcement = await worker('announce', 201, { body: { text: 'New disks tonight' } })
  await worker('listAnnouncements', 200)
  const [said, unsaid] = [announcement.announcement.id, 'none'].map((id) => ({ params: { announcementId: id } }))
  await worker('endAnnouncement', 200, said)
  await worker('endAnnouncement', 404, unsaid)
  await worker('getSummary', 200, { query: { componentId: 'backup' } })
  await worker('listChanges', 200)
  await worker('testTarget', 200, { params: { target: 'default' } })
  await worker('testTarget', 404, { params: { target: 'none' } })
  await worker('retireComponent', 200, { params, query: { publish: 'nothing' } })
  await worker('retireComponent', 404, { params: { componentId: 'nobody' } })
  const plain = ['getDiagnostics', 'getLiveness', 'getMetrics', 'getOpenapi']
  for (const operation of plain) await worker(operation, 200)
  const headers = { Origin: 'https://page.example' }
  const fromPages = [
    ...plain,
    'listComponentHealth',
    'listComponents',
    'listIncidents',
    'listUptime',
    'listMaintenance',
    'listRecurringMaintenance',
    'listAnnouncements',
    'getSummary',
    'listTargets',
    'listChanges',
    'listWrittenIncidents',
  ]
  for (const operation of fromPages) await worker(operation, 403, { headers })
  await worker('sendHeartbeat', 403, { params, headers, body: { status: 'outage' } })
  await worker('sendHeartbeatWithoutBody', 403, { params, headers })
  await worker('announceMaintenance', 403, { headers, body })
  await worker('announceRecurringMaintenance', 403, { headers, body: often })
  await worker('announce', 403, { headers, body: { text: 'x' } })
}

async function callRuns(worker: Caller): Promise<void> {
  const [job, headers] = [{ params: { componentId: 'job' } }, { Origin: 'https://page.example' }]
  const output = { headers: { 'Content-Type': 'text/plain' }, body: Buffer.from('no space left') }
  await worker('startRun', 200, { ...job, query: { rid: 'one', maxRunSeconds: '60' } })
  await worker('startRun', 403, { ...job, headers })
  await worker('failRun', 200, { ...job, ...output, query: { rid: 'one' } })
  await worker('failRun', 403, { ...job, headers })
  await worker('sendHeartbeatWithoutBody', 200, { params: { componentId: 'job', status: '0' } })
  await worker('listRuns', 200, job)
  await worker('listRuns', 404, { params: { componentId: 'nobody' } })
  const body = { schedule: '0 3 * * 1-5', tz: 'Europe/Berlin' }
  await worker('changeComponent', 200, { ...job, body })
  await worker('changeComponent', 404, { params: { componentId: 'nobody' }, body })
}

async function callAcknowledgements(worker: Caller): Promise<void> {
  const [job, by] = [{ params: { componentId: 'job' } }, { by: 'mia' }]
  await worker('sendHeartbeat', 200, { ...job, body: { status: 'outage' } })
  await worker('acknowledgeOutage', 200, { ...job, body: by })
  await worker('acknowledgeOutage', 409, { ...job, body: by })
  const body = { ...by, until: new Date(Date.now() + 3_600_000).toISOString() }
  await worker('muteComponent', 200, { ...job, body })
  await worker('muteComponent', 404, { params: { componentId: 'nobody' }, body })
  await worker('unmuteComponent', 200, job)
  await worker('unmuteComponent', 409, job)
  const link = { params: { hash: '0'.repeat(64) } }
  await worker('getOutageOfLink', 404, link)
  await worker('acknowledgeByLink', 404, link)
  const opening = { title: 'Slow', level: 'outage', text: 'We look into it' }
  const { incident } = await worker('openIncident', 201, { body: opening })
  await worker('openIncident', 403, { headers: { Origin: 'https://page.example' }, body: opening })
  await worker('listWrittenIncidents', 200)
  const update = { stage: 'resolved', text: 'Over' }
  await worker('updateIncident', 201, { params: { incidentId: incident.id }, body: update })
  await worker('updateIncident', 404, { params: { incidentId: 'none' }, body: update })
  await worker('deleteWrittenIncident', 200, { params: { incidentId: incident.id } })
  await worker('deleteWrittenIncident', 404, { params: { incidentId: incident.id } })
}
