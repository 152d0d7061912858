import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { sections } from '../../src/config/settings.ts'
import { fields, optional, required } from '../../src/http/fields.ts'
import { defineRoute, type Route, repliesOf } from '../../src/http/route.ts'
import { array, mismatch, nullable, object, oneOf, record, string, timestamp } from '../../src/http/schema.ts'
import { once } from '../../src/lib/once.ts'
import { renderDocuments } from '../../src/reference/documents.ts'
import { printEnvExample } from '../../src/reference/env-example.ts'
import { exampleOf } from '../../src/reference/example.ts'
import { printSettings } from '../../src/reference/markdown-settings.ts'
import { describe, type ReferenceInput, type RouteView, type ServiceInput } from '../../src/reference/model.ts'
import { referenceModel } from '../../src/reference/reference.ts'
import { aboutField } from '../../src/reference/rows.ts'
import { envelopeNames } from '../../src/reference/shapes.ts'
import { ownErrors } from '../../src/reference/shared-errors.ts'

const config = readConfig({ MAINTAINER: 'Ada <ada> | "A"' })
const model = referenceModel(config)
const documents = renderDocuments(model)
const routes = model.groups.flatMap((group) => group.listed)
const name = ({ route, path }: RouteView) => `${route.method} ${path}`

const curlOf = ({ samples }: RouteView) => samples[0]?.codes[0]?.code ?? ''

const hostile =
  '<script>alert(1)</script> | </td> "quoted" \'single\' [link](javascript:alert(1)) ![x](http://evil/x) & `a|b`'
const service: ServiceInput = { title: 'Hostile', base: 'http://localhost:3000', envelope: 'message', errors: [] }
const hostileInput: ReferenceInput = {
  title: hostile,
  version: '1',
  summary: hostile,
  license: hostile,
  author: hostile,
  token: { format: 'JWT', description: hostile },
  shapes: [{ envelope: 'ok', example: { status: 400, message: hostile }, use: hostile }],
  sharedErrors: [{ label: 'shared', errors: [{ status: 400, message: hostile }] }],
  intro: `## ${hostile}\n\n${hostile}`,
  decisions: `# ${hostile}`,
  limits: [{ what: hostile, value: hostile, beyond: hostile }],
  settings: {},
  texts: {},
  groups: [
    {
      title: 'Group',
      description: hostile,
      service,
      routes: [
        defineRoute({
          method: 'POST',
          path: '/things/:id',
          operationId: 'thing',
          summary: hostile,
          description: hostile,
          access: { label: hostile, errors: [{ status: 401, message: hostile, when: hostile }], admit: () => null },
          envelope: 'error',
          body: fields({ text: required({ status: 400, message: hostile }, { description: hostile }) }),
          query: fields({ as: optional({ description: hostile }) }),
          reply: { status: 200, schema: object({ text: string({ examples: [hostile] }) }), description: hostile },
          errors: [],
          handle: () => null,
        }),
      ],
    },
  ],
}
const hostileModel = describe(hostileInput)

/** What a reader sees. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(lt|gt|quot|amp|#39);/g,
      (_, entity: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" })[entity] ?? '',
    )

const section = (text: string, start: string, end: RegExp) => {
  const from = text.indexOf(start)
  assert.notEqual(from, -1, `${start} is missing`)
  const rest = text.slice(from + start.length)
  const to = rest.search(end)
  return to < 0 ? rest : rest.slice(0, to)
}

const codeOf = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

const valuesIn = (message: string) => message.replace(/^.* must be one of /, '').split(', ')
/** Of a long list of values, the type of the parameter has the rest. */
const shownIn = (line: string, message: string) =>
  line.includes(codeOf(message)) ? message : message.replace(/( must be one of (\S+, ){3}).*/, '$1…')

test('every route is in the Markdown with each of its errors: itself, or in a group that it names or its access implies', async () => {
  const markdown = await documents.markdown()
  const lineOf = (text: string, status: number) =>
    text.split('\n').find((line) => line.startsWith(`- ${status} `)) ?? ''
  for (const { routes: _, listed, title } of model.groups) {
    const chapter = section(markdown, `\n## ${title}\n`, /^## /m)
    const usual = /Errors have the shape (\w+)/.exec(chapter)?.[1]
    for (const view of listed) {
      const found = section(chapter, `\n### ${name(view)}\n`, /^##/m)
      const shape = /^Errors as (\w+)/m.exec(found)?.[1] ?? usual
      for (const error of view.errors) {
        const groups = model.sharedErrors.filter(({ errors }) =>
          errors.some((one) => one.status === error.status && one.message === error.message && one.when === error.when),
        )
        const named = groups.find(({ label, isOfAccess }) => isOfAccess || found.includes(`[${label}]`))
        const text = named ? section(markdown, `\n### ${named.title}\n`, /^##/m) : found
        const line = lineOf(text, error.status)
        const shown = shownIn(line, error.message)
        const at = line.indexOf(codeOf(shown))
        assert.notEqual(at, -1, `${name(view)}: ${error.status} ${error.message}`)
        if (shown !== error.message)
          for (const value of valuesIn(error.message))
            assert.ok(found.includes(`"${value}"`), `${name(view)}: ${value}`)
        const noted = /^[^`]*?\b(\w+Error)\b/.exec(line.slice(at + codeOf(shown).length))?.[1]
        assert.equal(noted ?? shape, envelopeNames[error.envelope], `${name(view)}: ${error.message}`)
      }
    }
  }
})

test('the groups of errors that follow from access are those of every route with this access, and each group is used', () => {
  for (const group of model.sharedErrors) {
    const users = routes.filter((view) => ownErrors(view, model.sharedErrors).shared.includes(group))
    assert.ok(users.length > (group.isOfAccess ? 0 : 1), group.label)
  }
  const impliedBy: Record<string, (view: RouteView) => boolean> = {
    'any token': ({ access }) => access.needsToken,
    'certain roles': ({ access }) => access.needsToken && /\bowner\b/.test(access.label),
    'no API keys': ({ access }) => access.needsToken && !access.label.includes('API key'),
    'addresses in STATUS_ADMIN_ALLOW': ({ access }) => access.label.includes('STATUS_ADMIN_ALLOW'),
  }
  for (const group of model.sharedErrors.filter(({ isOfAccess }) => isOfAccess)) {
    const isImplied = impliedBy[group.label] ?? (({ access }: RouteView) => access.label.endsWith(group.label))
    for (const view of routes)
      assert.equal(
        ownErrors(view, model.sharedErrors).shared.includes(group),
        isImplied(view),
        `${name(view)}: ${group.label}`,
      )
  }
})

test('the conventions name the errors of the routes that do not ignore what they do not list', async () => {
  const [, named] = /^- \*\*Fields\*\* that [^*]+ unless its errors say otherwise, such as \*([^*]+)\*\./m.exec(
    await documents.markdown(),
  ) ?? ['']
  const group = model.sharedErrors.find(({ label }) => label === named)
  assert.deepEqual(
    group?.errors.map(({ message }) => message),
    ['Unknown parameter: <PARAMETER>'],
  )
})

test('the Markdown has at most 150 kB, with every parameter and every reply of each route', async () => {
  const markdown = await documents.markdown()
  assert.ok(Buffer.byteLength(markdown) <= 150_000, `${Buffer.byteLength(markdown)} bytes`)
  const types = section(markdown, '\n## Types\n', /^## /m)
  const hasField = (text: string, field: string) => new RegExp(`(?<![\\w.])${field}\\??: `).test(text)
  for (const { listed, title } of model.groups) {
    const chapter = section(markdown, `\n## ${title}\n`, /^## /m)
    for (const view of listed) {
      const entry = section(chapter, `\n### ${name(view)}\n`, /^##/m)
      for (const row of [...view.params, ...view.query, ...view.body])
        assert.ok(hasField(entry, row.name), `${name(view)}: ${row.name}`)
      for (const { spec, rows } of view.replies) {
        assert.match(entry, new RegExp(`^${spec.status}\\b`, 'm'), name(view))
        for (const row of rows) {
          const field = row.name.split('.').at(-1)?.replaceAll('[]', '') ?? ''
          assert.ok(hasField(entry, field) || hasField(types, field), `${name(view)}: ${row.name}`)
        }
      }
    }
  }
})

test('a file that only our own pages ask for is in OpenAPI, and not among the endpoints', async () => {
  const all = model.groups.flatMap((group) => group.routes)
  const files = all.filter((view) => !routes.includes(view)).map(({ path }) => path)
  assert.deepEqual(files, ['/docs.js', '/docs.css', '/docs.svg', '/console/{file}', '/status.css', '/status.js'])
  const [html, markdown, { paths }] = [
    await documents.html(),
    await documents.markdown(),
    JSON.parse(await documents.openapi()),
  ]
  const headOf = (path: string) => `<span class="path">${path}</span>`
  for (const path of files) {
    assert.ok(Object.hasOwn(paths, path), path)
    assert.ok(!markdown.includes(`GET ${path}\n`), path)
    assert.ok(!html.includes(headOf(path)), path)
  }
  assert.ok(html.includes(headOf('/docs')))
})

test('every route is on the page with each of its errors, as they are sent, or in a group that it links to', async () => {
  const html = await documents.html()
  const groups = model.sharedErrors.map(({ id }) => ({ id, text: textOf(section(html, `<h3 id="${id}">`, /<h3/)) }))
  for (const view of routes) {
    const own = section(html, `<h3 id="${view.id}">`, /<\/article>/)
    const linked = groups.filter(({ id }) => own.includes(`href="#${id}"`)).map(({ text }) => text)
    for (const { status, body, message } of view.errors) {
      const isThere =
        textOf(own).includes(`${status}${body}`) ||
        linked.some((text) => text.includes(`${status}${body}`) || text.includes(`${status}${message}`))
      assert.ok(isThere, `${name(view)}: ${body}`)
    }
  }
})

test('the entry of a route names its limits, with their values as configured there or in the chapter', async () => {
  const strict = renderDocuments(
    referenceModel(readConfig({ RATE_LIMIT_REGISTER_MAX: '2', RATE_LIMIT_GLOBAL_MAX: '0' })),
  )
  const markdown = await strict.markdown()
  const register = section(markdown, '\n### POST /auth/register\n', /^##/m)
  assert.match(register, /\[Limits\]\(#limits\): Requests per address under `\/auth\/`, Registrations per address\.\n/)
  const chapter = section(markdown, '\n## Limits\n', /^##/m)
  assert.match(
    chapter,
    /\| Registrations per address \| 2 per 3600 s; after 1, each further one is delayed 5000 ms longer/,
  )
  assert.match(chapter, /\| Requests per address under `\/auth\/` \| 50 per 900 s/)
  assert.doesNotMatch(markdown, /Requests per address[:,.]| Requests per address \|/)
  const entry = textOf(section(await strict.html(), '<h3 id="post-authregister">', /<\/article>/))
  assert.match(entry, /Registrations per address: 2 per 3600 s; after 1, each further one is delayed 5000 ms longer/)
  assert.doesNotMatch(entry, /Requests per address:/)
  const { paths } = JSON.parse(await strict.openapi())
  assert.match(paths['/auth/register'].post.description, /- Registrations per address: 2 per 3600 s/)
  assert.doesNotMatch(paths['/images'].get.description, /Limits/)
})

test('samples contain the address of the service', async () => {
  const elsewhere = renderDocuments(referenceModel(config, 'https://api.example.org'))
  for (const text of [await elsewhere.openapi(), section(await elsewhere.markdown(), '\n## Images\n', /^## /m)]) {
    assert.ok(text.includes('https://api.example.org/i'))
    assert.doesNotMatch(text, /localhost:3000|<BASE_URL>/)
  }
})

test('a message shows the value of the setting that it names', async () => {
  assert.ok(textOf(await documents.html()).includes('report this to Ada <ada> | \\"A\\".'))
  assert.ok((await documents.markdown()).includes('Password must be at least 8 characters'))
  assert.doesNotMatch(await documents.markdown(), /<(MAINTAINER|PASSWORD_MIN_LENGTH|BASE_URL)>/)
})

test('no message contains the name of a setting instead of its value', () => {
  const anywhere = model.anywhere.flatMap(({ errors }) => errors)
  const printed = [...routes, { errors: anywhere }].flatMap(({ errors }) => errors.map(({ message }) => message))
  assert.deepEqual(
    printed.filter((message) => /<(?!(PARAMETER|PROBLEM|KIND|TYPE|ACTION)>)[A-Z_]+>/.test(message)),
    ['Not Found - <METHOD> <path>'],
  )
})

test('every setting is in .env.example, in docs/settings.md and on the page', async () => {
  const printed = { env: printEnvExample(sections), markdown: printSettings(model), html: await documents.html() }
  for (const [setting, spec] of Object.values(sections).flatMap((table) => Object.entries(table))) {
    assert.ok(printed.env.includes(`\n# ${setting}=${spec.default ?? ''}\n`), setting)
    const row = section(printed.markdown, `\n| \`${setting}\` |`, /\n/)
    const entry = textOf(
      section(printed.html, `<div id="${setting.replace('<', '&lt;').replace('>', '&gt;')}">`, /<\/div>/),
    )
    for (const text of [row, entry]) {
      if ('secret' in spec) assert.ok(text.includes(`${setting}_FILE`), `${setting}: ${text}`)
    }
  }
})

test('.env.example sets nothing', () => {
  for (const line of printEnvExample(sections).split('\n')) assert.ok(line === '' || line.startsWith('#'), line)
})

test('every link of the page has a target, and ids are unique', async () => {
  for (const html of [await documents.html(), await renderDocuments(hostileModel).html()]) {
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    )
    for (const [, id] of html.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(id ?? ''), `#${id}`)
  }
})

/** As GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  const anchors: string[] = []
  for (const [, heading = ''] of markdown.matchAll(/^#+ (.+)$/gm)) {
    const plain = heading
      .toLowerCase()
      .replace(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-')
    let anchor = plain
    for (let count = 1; anchors.includes(anchor); count++) anchor = `${plain}-${count}`
    anchors.push(anchor)
  }
  return anchors
}

test('every link of the Markdown leads to a heading, and the pages have the same anchors', async () => {
  const markdown = (await documents.markdown()).replace(/^```.*\n[\s\S]*?^```$/gm, '')
  const anchors = anchorsOf(markdown)
  for (const [, anchor = ''] of markdown.matchAll(/\]\(#([^)]*)\)/g)) assert.ok(anchors.includes(anchor), anchor)
  for (const [, anchor = ''] of markdown.matchAll(/^\[[^\]]+\]: #(.*)$/gm)) assert.ok(anchors.includes(anchor), anchor)
  const idsOf = (page: string) => [...page.matchAll(/<h[1-6][^>]* id="([^"]*)"/g)].map(([, id]) => id)
  // The page has the types at each route, and its settings are docs/settings.md.
  const ofSettings = model.settings.map(({ id }) => id)
  assert.deepEqual(
    idsOf(await documents.html()).filter((id = '') => !ofSettings.includes(id)),
    anchors.slice(2).filter((anchor) => anchor !== model.ids.types),
  )
  assert.deepEqual(idsOf(await documents.decisions()), anchorsOf(readFileSync('docs/decisions.md', 'utf8')))
})

test('the page runs no script but its own, and loads nothing from elsewhere', async () => {
  const hostile = renderDocuments(hostileModel)
  const pages = [documents.html, documents.decisions, hostile.html, hostile.decisions]
  for (const html of await Promise.all(pages.map((print) => print()))) {
    assert.doesNotMatch(html, /<(img|iframe|object|embed|style|base|form)\b/i)
    const own = /<script defer src="(?:\.\.\/)?docs\.js" integrity="sha256-[\w+/]+=*"><\/script>/
    assert.equal(html.match(/<script/gi)?.length, 1)
    assert.match(html, own)
    const tags = [...html.replace(own, '').matchAll(/<[a-z][^>]*>/gi)].map(([tag]) => tag)
    for (const tag of tags) {
      assert.doesNotMatch(tag, /\s(on\w+|style|src|srcset)\s*=/i)
      const target = /\shref="([^"]*)"/.exec(tag)?.[1]
      if (tag.startsWith('<link')) assert.match(target ?? '', /^(\.\.\/)?docs\.(css|md|svg)$/)
      else if (target !== undefined)
        assert.match(target, /^(#|(\.\.\/)?(docs|docs\.md|openapi\.json|console|status)$|docs\/decisions$|https?:)/)
    }
  }
  assert.doesNotMatch(await documents.css(), /url\(|@import/)
})

test('hostile text in a description is escaped on the page', async () => {
  const html = await renderDocuments(hostileModel).html()
  assert.doesNotMatch(html, /<script>|href="javascript|<\/td>/)
  assert.ok(textOf(html).includes('<script>alert(1)</script>'))
})

test('hostile text in a description is escaped in the Markdown, and breaks no table', async () => {
  const { default: MarkdownIt } = await import('markdown-it')
  const html = new MarkdownIt({ html: true }).render(
    (await renderDocuments(hostileModel).markdown()).replace(/^## .*alert.*$|^<script.*$/gm, ''),
  )
  const chapter = section(html, '<h2>Group</h2>', /<h2>Settings/)
  assert.doesNotMatch(chapter, /<script|<img|href="javascript/)
  for (const [table] of chapter.matchAll(/<table>[\s\S]*?<\/table>/g)) {
    const columns = [...table.matchAll(/<th>/g)].length
    for (const [row] of table.matchAll(/<tr>\s*<td>[\s\S]*?<\/tr>/g))
      assert.equal([...row.matchAll(/<td>/g)].length, columns)
  }
})

test('hostile text in a description keeps the OpenAPI document valid', async () => {
  const openapi = JSON.parse(await renderDocuments(hostileModel).openapi())
  assert.equal(openapi.paths['/things/{id}'].post.summary, hostile)
})

test('every example fits its schema', () => {
  const shapes = [
    object({ at: timestamp(), kind: oneOf(['a', 'b']), many: array(object({ id: string({ minLength: 8 }) })) }),
    nullable(object({ name: string({ maxLength: 2 }) })),
    record(array(string())),
  ]
  const replies = routes.flatMap(({ route }) => repliesOf(route).flatMap(({ schema }) => (schema ? [schema] : [])))
  for (const schema of [...shapes, ...replies]) assert.equal(mismatch(schema, exampleOf(schema)), null)
})

test('every field of a reply has a line, even a nested one, and explains null', () => {
  const schema = object({
    role: nullable(oneOf(['a', 'b'], { description: 'Null: none' })),
    users: array(object({ id: string(), note: nullable(object({ text: string() })) })),
    counts: record(object({ total: string() })),
  })
  const route = defineRoute({ ...routes[0]?.route, reply: { status: 200, schema } } as Parameters<
    typeof defineRoute
  >[0])
  const view = describe({ ...hostileInput, groups: [{ title: 'One', description: '', service, routes: [route] }] })
  const rows = view.groups[0]?.routes[0]?.replies[0]?.rows ?? []
  assert.deepEqual(rows.slice(0, 1).map(aboutField), ['Null: none. One of `a`, `b`.'])
  assert.deepEqual(
    rows.map((row) => row.name),
    [
      'role',
      'users',
      'users[].id',
      'users[].note',
      'users[].note.text',
      'counts',
      'counts.<name>',
      'counts.<name>.total',
    ],
  )
})

test('fields of which at least one is required say so, and the example has the first', async () => {
  const needed = { names: ['id', 'name'], absent: { status: 400, message: 'Neither' } }
  const either = fields({ id: optional(), name: optional(), note: optional() }, needed)
  const spec = { ...(hostileInput.groups[0]?.routes[0] as Route), path: '/things', body: either, query: either }
  const made = describe({
    ...hostileInput,
    groups: [{ title: 'One', description: '', service, routes: [spec as Route] }],
  })
  const view = made.groups[0]?.routes[0]
  const rules = [...(view?.query ?? []), ...(view?.body ?? [])].map(({ constraints }) => constraints.join())
  const rule = 'one of id and name is required'
  assert.deepEqual(rules, [rule, rule, '', rule, rule, ''])
  assert.match(view ? curlOf(view) : '', /\/things\?id=[^&']+' [\s\S]*-d '\{"id":"[^"]+"\}'$/)
  const openapi = JSON.parse(await renderDocuments(made).openapi())
  const { post } = openapi.paths['/things']
  const { schema } = post.requestBody.content['application/json']
  assert.deepEqual(schema, { $ref: '#/components/schemas/ThingRequest' })
  const { anyOf } = openapi.components.schemas.ThingRequest
  assert.deepEqual(
    anyOf.map(({ required }: { required: string[] }) => required),
    [['id'], ['name']],
  )
})

test('the curl call of a route sends a token if and only if the route needs one', () => {
  for (const view of routes)
    assert.equal(curlOf(view).includes('-H "Authorization: $ACCESS_TOKEN"'), view.access.needsToken)
})

test('no curl call has a placeholder in it', () => {
  for (const view of routes)
    for (const { name } of view.params) assert.ok(!curlOf(view).includes(`:${name}`), curlOf(view))
})

test('a document is built once', async () => {
  assert.equal(documents.html(), documents.html())
  assert.equal(documents.markdown(), documents.markdown())
})

test('a failed build is retried', async () => {
  let tries = 0
  const make = once(async () => {
    tries += 1
    if (tries === 1) throw new Error('away')
    return tries
  })
  await assert.rejects(make(), /away/)
  assert.deepEqual([await make(), await make()], [2, 2])
})

test('the limits in the reference are the promised ones', () => {
  const shown = Object.fromEntries(model.limits.map(({ what, value }) => [what, value]))
  assert.deepEqual(shown, {
    'Requests per address': '1000 per 120 s',
    'Requests per console session': '600 per 60 s',
    'Requests per address under `/auth/`':
      '50 per 900 s; after 10, each further one is delayed 500 ms longer, up to 5 s',
    'Registrations per address': '3 per 3600 s; after 1, each further one is delayed 5000 ms longer, up to 60 s',
    'Failed logins per address': '8 per 900 s',
    'Failed logins per username': '5 per 900 s',
    'Reports of images per user': '10 per 3600 s',
    'Requests per embed link': '600 per 60 s',
    'Requests to embed links per address': '120 per 60 s',
    'API keys per user': '50',
    'Concurrently delayed requests': '2048',
    'Request line and headers': '16 KiB',
    'Number of headers': '100',
    'JSON body, unless the route says otherwise': '64 KiB',
    'Time to receive the headers': '10 s',
    'Time to receive a body': '30 s',
    'Time to receive a whole request': '120 s',
    'Idle time between two requests': '72 s',
    'Time without the client reading a pending response': '60 s',
    'Time to finish requests at shutdown': '10 s',
    Username: '3 to 32 characters',
    'New password': 'at least 8 characters, at most 1024 bytes',
    'Users or events per page': '1 to 500, 50 by default',
    'Images per random response': '1 to 30',
    'Images per page': '1 to 500, 50 by default',
    Upload: '20 MiB',
    'Object name': '1024 bytes',
    'Cached image': '8 MiB',
    'Reason for a ban': '500 characters',
    'Concurrent password hashes': '2 (1 on a single core), plus 64 waiting',
  })
})
