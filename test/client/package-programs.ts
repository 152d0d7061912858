/** Run with the URL of a service whose owner is `keeper`. */
export const program = `import { createClient, MenagerieError } from 'menagerie-client'
import { createReporter } from 'menagerie-client/reporter'
const [url, password] = process.argv.slice(2)
const client = createClient({ url })
await client.auth.login({ username: 'keeper', password })
const seen = []
const picture = new Blob([new Uint8Array(500_000)], { type: 'image/png' })
const to = { bucketName: 'images', objectName: 'fox/packed.png' }
await client.store.upload(to, picture, { onProgress: ({ sent, total }) => seen.push(sent / total) })
const { name } = await client.images.random('fox')
const names = []
for await (const { name } of client.images.list('fox', { limit: 1 })) names.push(name)
await client.store.delete(to)
const error = await client.images.get(name).catch((error) => error)
console.log(name, seen.at(-1), names.length, error instanceof MenagerieError, error.text, typeof createReporter)`

/** Compiles only if the types refuse the mistakes and accept typical code. */
export const typed = `import { createClient, type Kind, MenagerieError, type Pages, type Schemas } from 'menagerie-client'
import { createReporter, type Reporter } from 'menagerie-client/reporter'
const signal: AbortSignal | undefined = AbortSignal.timeout(1)
const { images, admin, store, auth } = createClient({ url: new URL('http://a'), token: undefined })
const kinds: Kind[] = ['fox', 'weiner-dog', 'a kind of their own']
const one: Schemas['ImageDescriptor'] = await images.random('fox', { signal, seed: undefined })
const all: readonly { url: string }[] = await images.random(kinds, { count: 3 })
const red: { url: string } = await images.random('fox', { tags: ['red'], without: ['drawing', 'night'] })
for await (const { tag } of images.tags({ kinds: ['fox'] })) images.list('fox', { tags: [tag], without: 'night,snow' })
const small: Blob = await images.get(one.name, { w: 160, format: 'webp', signal })
const users: Pages<unknown, Schemas['UserEntry']> = admin.users({ banned: true, q: undefined })
for await (const { user } of users) user.role satisfies 'user' | 'support' | 'moderator' | 'admin' | 'owner'
await auth.me({ signal })
await auth.embed.create({ kind: 'a kind of their own' })
await images.report({ name: 'fox/a.png', reason: 'Not a fox' })
for await (const { id } of admin.reports({ state: 'open' })) await admin.resolveReport(id, { action: 'hide' })
const { ban } = await admin.getBan({ userId: one.etag })
await store.upload({ bucketName: 'a', objectName: 'b' }, new Uint8Array(1), { onProgress: ({ sent }) => void sent })
const { key }: { key: string } = await auth.keys.create({ name: 'a', scopes: ['images'] })
try {
  await admin.ban({ username: 'a', until: '2030-01-01T00:00:00Z' }, { dryRun: true })
} catch (error) {
  if (error instanceof MenagerieError && error.envelope && 'error' in error.envelope) error.envelope.error.trim()
}
const reporter: Reporter = createReporter({ url: 'http://a' })
// @ts-expect-error: nobody is named
await admin.ban({ reason: 'Spam' })
// @ts-expect-error: no such role
await admin.changeRole({ username: 'a', role: 'king' })
// @ts-expect-error: no password
await auth.login({ username: 'a' })
// @ts-expect-error: several images are an array
;(await images.random('fox', { count: 2 })).url
// @ts-expect-error: no such option
images.list('fox', { colour: 'red' })
// @ts-expect-error: no such type of an image
await images.get('fox/a.png', { format: 'bmp' })
// @ts-expect-error: the size of what is stored
await images.head('fox/a.png', { w: 160 })
export { all, ban, reporter, key, red, small }`
