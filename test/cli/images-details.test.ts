import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { csvRow, readCsv } from '../../src/cli/images/csv.ts'
import { folders, importing, picture } from './pictures.ts'
import { tool, toolHere, toolJson } from './tool.ts'

const cellsOf = (text: string) => [...readCsv(text)].map(({ line, cells }) => [line, ...cells])

describe('CSV', () => {
  it('is read as RFC 4180 has it, with either line break', () => {
    assert.deepEqual(cellsOf('\ufeffa,b\r\n1,"x ""y"", z"\r\n\r\n"two\nlines",\n'), [
      [1, 'a', 'b'],
      [2, '1', 'x "y", z'],
      [4, 'two\nlines', ''],
    ])
    assert.deepEqual(cellsOf('a,\n,b'), [
      [1, 'a', ''],
      [2, '', 'b'],
    ])
    assert.deepEqual(cellsOf(''), [])
    const rows = [
      ['a"', ',', '\r\n', ''],
      [' ', 'ü\u2028', "'", '=1'],
    ]
    assert.deepEqual(
      cellsOf(rows.map(csvRow).join('')).map(([, ...cells]) => cells),
      rows,
    )
    const long = 'x'.repeat(1_000_000)
    assert.deepEqual(cellsOf(`"${long}""${long}"`), [[1, `${long}"${long}`]])
  })

  it('that could be read in two ways is refused, with its line', () => {
    for (const text of ['a\nb,"c', 'a\nb"c', 'a\n"b"c', 'a\nb\rc'])
      assert.throws(() => cellsOf(text), { name: 'RangeError', message: /^line 2 is not CSV/ }, JSON.stringify(text))
  })
})

describe('Details on the command line', () => {
  it('images describe changes what is given, of all these images or none', async () => {
    const { root, env, put } = folders()
    for (const name of ['a', 'b']) put(`${name}.png`, picture('png', name))
    await toolJson(env, importing(root))
    const both = ['images', 'describe', 'fox/a.png', 'fox/b.png']
    const all = ['--alt', 'A fox', '--source', 'https://example.org', '--tags', 'red, snow']
    const described = { alt: 'A fox', source: 'https://example.org/', tags: ['red', 'snow'] }
    assert.deepEqual(await toolJson(env, [...both, ...all]), {
      changed: 2,
      images: ['fox/a.png', 'fox/b.png'].map((name) => ({ name, ...described })),
    })
    const { stdout } = await toolHere(env, [...both, '--alt', '', '--tags', 'red,snow'])
    assert.equal(stdout, 'Changed the details of 2 images.\n')
    assert.match((await toolHere(env, [...both, '--alt', ''])).stdout, /^Changed the details of 0 images/)
    const { events } = await toolJson(env, ['audit', '--target', 'images/fox/a.png', '--action', 'describe'])
    assert.deepEqual(
      events.map(({ actor, after }: Record<string, unknown>) => [actor, after]),
      [
        ['cli', { alt: null }],
        ['cli', { alt: 'A fox', source: 'https://example.org/', tags: 'red,snow' }],
      ],
    )
    for (const [args, code, message] of [
      [[...both, 'fox/none.png', '--title', 'X'], 1, /^No image "fox\/none\.png"; nothing was changed/],
      [both, 2, /^Nothing to change; pass at least one of --alt/],
      [[...both, '--source', 'ftp://example.org'], 1, /^Source must be an http or https URL/],
    ] as const) {
      const ran = await tool(env, args)
      assert.deepEqual([ran.code, ran.stdout], [code, ''])
      assert.match(ran.stderr, message)
    }
    assert.deepEqual((await toolJson(env, [...both, '--title', ''])).changed, 0)
  })

  it('images import --details describes images by the names of their files or in the store, and reports bad rows', async () => {
    const { root, env, put } = folders()
    put('Füchsin 1.png', picture('png', 'one'))
    put('two.png', picture('png', 'two'))
    const file = join(root, '..', 'details.csv')
    const rows = [
      'name,alt,tags',
      'Füchsin 1.png,"A ""vixen""",red snow',
      'fox/two.png,Two,',
      'none.png,None,',
      'two.png,Twice,',
      'fox/two.png,Twice,',
      'bird/x.png,Of another kind,',
      'x.png,X,Not A Tag',
      'short',
      ',,',
    ]
    writeFileSync(file, rows.join('\n'))
    const args = [...importing(root), '--details', file]
    const badTags = 'tags must be a list of at most 32 tags, each of 1 to 32 of the characters a-z, 0-9 and -'
    const failed = [
      { row: 4, name: 'none.png', reason: 'there is no such image' },
      { row: 5, name: 'two.png', reason: 'an earlier row is about this image' },
      { row: 6, name: 'fox/two.png', reason: 'an earlier row has this name' },
      { row: 8, name: 'x.png', reason: badTags },
      { row: 9, name: '', reason: 'it has 1 cells, and the heading 3' },
      { row: 10, name: '', reason: 'it has no name' },
    ]
    const first = await toolHere(env, [...args, '--json'])
    assert.equal(first.code, 1)
    const report = JSON.parse(first.stdout)
    assert.deepEqual([report.imported, report.details], [2, { described: 2, unchanged: 0, failed }])
    const again = await toolHere(env, args)
    assert.match(again.stdout, /failed {2}row 4 {2}none\.png {2}there is no such image\n/)
    assert.match(again.stdout, /Described 0 images, 2 already so, 6 rows failed\.\n$/)
    assert.match(again.stderr, /^6 rows of the details failed; correct them/)
  })

  it('images export --details writes what import --details reads, as CSV and as JSON', async () => {
    const { root, env, put } = folders()
    for (const name of ['a', 'b']) put(`${name}.png`, picture('png', name))
    await toolJson(env, importing(root))
    const odd = 'Quotes ", commas, and = signs'
    await toolJson(env, ['images', 'describe', 'fox/a.png', '--alt', odd, '--license', 'MIT', '--tags', 'b,a'])
    const target = join(root, '..', 'export')
    for (const file of ['details.csv', 'details.json']) {
      const path = join(target, file)
      const way = file === 'details.csv' ? [] : [path]
      const { details } = await toolJson(env, ['images', 'export', target, '--details', ...way])
      assert.deepEqual(details, { file: path, images: 1 })
      await toolJson(env, ['images', 'describe', 'fox/a.png', '--alt', '', '--license', 'Other', '--tags', ''])
      const read = await toolJson(env, [...importing(root), '--details', path])
      assert.deepEqual(read.details, { described: 1, unchanged: 0, failed: [] })
      const shown = await toolJson(env, ['images', 'describe', 'fox/a.png', '--title', ''])
      assert.deepEqual(shown.images, [{ name: 'fox/a.png', alt: odd, license: 'MIT', tags: ['a', 'b'] }])
    }
    assert.match(
      readFileSync(join(target, 'details.csv'), 'utf8'),
      /^name,alt,title,artist,source,license,tags\r\nfox\/a\.png,/,
    )
  })

  it('a file with an unknown column, or that is neither CSV nor JSON, stops the import before it begins', async () => {
    const { root, env, objects, put } = folders()
    put('a.png', picture('png'))
    for (const [file, text, message] of [
      ['x.csv', 'name,colour\na.png,red\n', /unknown column "colour"; expected name and any of alt/],
      ['x.csv', 'alt\nA\n', /there is no column name/],
      ['x.csv', 'name,alt,alt\n', /a column is there twice/],
      ['x.csv', 'name,alt\na.png,"open\n', /line 2 is not CSV/],
      ['x.csv', '', /there is no column name/],
      ['x.json', '[{"name":"a.png","colour":"red"}]', /unknown column "colour"/],
      ['x.json', '{"name":"a.png"}', /expected an array of objects/],
      ['x.json', '[', /is not JSON/],
      ['none.csv', null, /cannot be read \(ENOENT\)/],
    ] as const) {
      const path = join(root, '..', file)
      if (text !== null) writeFileSync(path, text)
      const { code, stderr } = await toolHere(env, [...importing(root), '--details', path])
      assert.equal(code, 1)
      assert.match(stderr, message)
    }
    assert.equal(existsSync(join(objects, 'fox')), false)
  })
})
