import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { openWorker, type TestWorker } from '../status/worker-stage.ts'
import { noBrowserUnlessFull } from '../support/chromium.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage } from './stage.ts'

const hostile = '<img src=x onerror="document.title=1">\u202etext'
/** As the field `datetime-local` has it. */
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16)

describe('What people do about components and incidents in the console', { skip: noBrowserUnlessFull }, () => {
  let stage: ConsoleStage
  let worker: TestWorker

  before(async () => {
    worker = await openWorker()
    stage = await openConsoleStage({
      env: { STATUS_WORKER_URL: worker.url, STATUS_PAGE_COMPONENTS: 'job=Job,backup=Backup' },
    })
    const cron = 'schedule=0+3+*+*+1-5&tz=Europe%2FBerlin'
    await worker.ask('POST', `/heartbeat/job/start?rid=first&maxRunSeconds=7200&${cron}`)
    const output = Buffer.from(`${hostile}\n${'a line of output\n'.repeat(60)}`)
    await worker.ask('POST', '/heartbeat/job/3?rid=first', output)
    await worker.ask('POST', '/heartbeat/job/start?rid=second')
  })

  it('a component: its schedule and runs, an acknowledgement, a mute and a new schedule', async () => {
    const { page, complaints } = await stage.open('/status')
    await page.getByText('0 3 * * 1-5').waitFor()
    await page
      .getByText('No heartbeat is known of backup: nothing is awaited, and no alert is sent, before its first one.')
      .waitFor()
    await page.getByRole('rowheader', { name: 'job' }).getByRole('link').click()
    await page.getByRole('heading', { name: 'job', exact: true }).waitFor()
    await page.getByText(/^Next run/).waitFor()
    await page.getByText(/running for \d+ s/).waitFor()
    await page.getByText('exit code 3: a line of output').waitFor()
    const title = await page.title()
    await page.getByText('Output of the run first').click()
    await page.locator('pre', { hasText: hostile }).waitFor()
    await assertNoBarriers(page)

    const said = await page.getByRole('button', { name: 'Acknowledge' }).getAttribute('aria-describedby')
    await page
      .locator(`[id="${said}"]`, { hasText: 'these pages say from then on who looks after the outage' })
      .waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Acknowledge the outage of job' }).click()
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' })
    await page.getByRole('rowheader', { name: 'job' }).getByRole('link').click()
    await page.getByText('by keeper').waitFor()
    await page.getByText('no alert channel is set up').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('button', { name: 'Acknowledge' }).count(), 0)

    await page.getByRole('button', { name: 'Mute' }).click()
    await page.getByLabel('Until').fill('2020-01-01T00:00')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Mute' }).click()
    await page.getByRole('alert').getByText('The end must be in the future').waitFor()
    await assertNoBarriers(page, [390])
    await page.getByLabel('Until').fill(inMs(86_400_000))
    await dialog.getByRole('button', { name: 'Mute' }).click()
    await page.getByText('muted', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Unmute' }).click()
    await page.getByText('muted', { exact: true }).waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Change schedule' }).click()
    await page.getByLabel('Schedule', { exact: true }).fill('0 25 * * *')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.locator('input[name=schedule]:invalid').waitFor()
    await page.getByLabel('Schedule', { exact: true }).fill('30 4 * * *')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByText('30 4 * * *').waitFor()
    const [job] = (await worker.ask('GET', '/components?componentId=job')).body.components
    assert.deepEqual([job.schedule, job.tz, job.maxRunSeconds], ['30 4 * * *', 'Europe/Berlin', 7_200])
    await worker.ask('POST', '/heartbeat/other', { status: 'operational', expectWithinSeconds: 120 })
    await page.goto(`${page.url().split('#')[0]}#/status/other`)
    await page.getByRole('button', { name: 'Change schedule' }).click()
    assert.equal(await page.getByLabel('Grace period').inputValue(), '0')
    await page.getByLabel('Its heartbeat is due').selectOption('schedule')
    assert.equal(await page.getByLabel('Timeout in seconds').isVisible(), false)
    await page.getByLabel('Schedule', { exact: true }).fill('0 5 * * *')
    assert.equal(await page.getByLabel('Grace period').inputValue(), '600')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByText('0 5 * * *').waitFor()
    const dueOf = async (id: string) => {
      const [{ schedule, graceSeconds }] = (await worker.ask('GET', `/components?componentId=${id}`)).body.components
      return [schedule, graceSeconds]
    }
    assert.deepEqual(await dueOf('other'), ['0 5 * * *', 600])
    await worker.ask('POST', '/heartbeat/strict', { status: 'operational', expectWithinSeconds: 120, graceSeconds: 30 })
    await page.goto(`${page.url().split('#')[0]}#/status/strict`)
    await page.getByRole('button', { name: 'Change schedule' }).click()
    await page.getByLabel('Its heartbeat is due').selectOption('schedule')
    await page.getByLabel('Schedule', { exact: true }).fill('0 6 * * *')
    await page.getByLabel('Grace period').fill('45')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByText('0 6 * * *').waitFor()
    assert.deepEqual(await dueOf('strict'), ['0 6 * * *', 45])
    await page.getByRole('button', { name: 'Change schedule' }).click()
    await page.getByLabel('Schedule', { exact: true }).fill('0 7 * * *')
    await page.getByLabel('Its heartbeat is due').selectOption('timeout')
    await page.getByLabel('Its heartbeat is due').selectOption('schedule')
    assert.equal(await page.getByLabel('Schedule', { exact: true }).inputValue(), '0 7 * * *')
    await page.getByLabel('Its heartbeat is due').selectOption('timeout')
    await page.getByLabel('Timeout in seconds').fill('9999999')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByText('The timeout in seconds must be a whole number from 10 to 2678400').waitFor()
    await page.getByLabel('Timeout in seconds').and(page.locator('[aria-invalid]')).waitFor()
    await page.getByLabel('Timeout in seconds').fill('300')
    await dialog.getByRole('button', { name: 'Change' }).click()
    await page.getByText('0 6 * * *').waitFor({ state: 'detached' })
    assert.deepEqual(await dueOf('strict'), [null, 0])
    await page.goBack()
    await page.goBack()
    assert.equal(await page.title(), title)
    await page.goto(`${page.url().split('#')[0]}#/status`)
    const open = page.locator('section', { has: page.getByRole('heading', { name: 'Open now' }) })
    await open.getByText('acknowledged by keeper').waitFor()
    assert.match(await open.innerText(), /job, began /)
    assert.deepEqual([job.downSince > '2026', job.downSince <= job.acknowledgement.at], [true, true])
    assert.deepEqual([job.acknowledgement.by, job.mute], ['keeper', null])
    assert.deepEqual(complaints, [])
  })

  it('an incident: opened, updated, resolved, and its postmortem', async () => {
    const { page, complaints } = await stage.open('/status')
    await page.getByRole('button', { name: 'Open an incident' }).click()
    const dialog = page.getByRole('dialog')
    await page.getByLabel('Title').fill('Slow uploads')
    await dialog.getByText('The status page shows it to everybody, within 10 seconds.').waitFor()
    await page.getByLabel('Level').selectOption('partial')
    await page.getByLabel('Find a component').fill('job/x')
    await page.getByRole('checkbox', { name: 'job/x has not reported yet' }).check()
    await dialog.getByText('Nobody outside sees it: job/x is not on the status page.').waitFor()
    await page.getByLabel('Text').fill(hostile)
    await dialog.getByRole('button', { name: 'Open' }).click()
    await page
      .getByRole('alert')
      .getByText(/^Components must be a list/)
      .waitFor()
    await page.getByRole('checkbox', { name: 'job/x' }).click()
    await page.getByLabel('Find a component').fill('jo')
    await dialog.getByRole('button', { name: 'Open' }).click()
    const said = await page.evaluate<string>('document.activeElement.validationMessage')
    assert.equal(said, 'Choose it with Enter, or clear the field.')
    await page.getByLabel('Find a component').press('Enter')
    assert.ok(await page.getByRole('checkbox', { name: 'job', exact: true }).isChecked())
    await assertNoBarriers(page, [390])
    await dialog.getByRole('button', { name: 'Open' }).click()
    await page.getByText('Incident opened. The status page shows it to everybody, within 10 seconds.').waitFor()
    await page.locator('strong', { hasText: 'Slow uploads' }).waitFor()
    const [{ id }] = (await worker.ask('GET', '/incidents/written')).body.incidents
    const entry = page.locator(`[id="${id}"]:focus`, { hasText: 'Slow uploads' })
    const isSeen =
      '(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.activeElement.getBoundingClientRect())'
    await page.setViewportSize({ width: 1280, height: 500 })
    for (const name of ['Status', 'Overview', 'Status']) {
      await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click()
      await page.getByRole('link', { name: 'Slow uploads' }).click()
      await entry.waitFor()
      await until(() => page.evaluate<boolean>(isSeen))
      await page.waitForURL(`**#/status#${id}`)
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    for (const [stageName, text] of [
      ['identified', 'A disk'],
      ['resolved', 'A new disk'],
      ['postmortem', 'Disks are watched from now on'],
    ] as const) {
      const button = stageName === 'postmortem' ? 'Write a postmortem' : 'Write an update'
      if (stageName === 'resolved') {
        await page.getByRole('button', { name: 'Resolve Slow uploads' }).click()
        await page.getByLabel('Text').and(page.locator(':focus')).waitFor()
        await assertNoBarriers(page, [390])
        await page.keyboard.type(text)
        await dialog.getByRole('button', { name: 'Resolve' }).click()
      } else {
        await page.getByRole('button', { name: `${button} of Slow uploads` }).click()
        if (stageName === 'identified') await page.getByLabel('Stage').selectOption(stageName)
        await page.getByLabel('Text').fill(text)
        await dialog
          .getByRole('button', { name: stageName === 'postmortem' ? 'Post' : 'Post update', exact: true })
          .click()
      }
      await dialog.waitFor({ state: 'detached' })
      await page.getByText(text, { exact: true }).waitFor()
    }
    await page.getByText('resolved', { exact: true }).first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Resolve' }).count(), 0)
    assert.equal(await page.locator('.entries .badge.is-warning').count(), 0, 'it is over')
    await assertNoBarriers(page)
    const [incident] = (await worker.ask('GET', '/incidents/written')).body.incidents
    assert.deepEqual([incident.byHand.level, incident.components], ['partial', ['job']])
    assert.deepEqual(
      incident.updates.map(({ stage, text }: Record<string, string>) => [stage, text]),
      [
        ['investigating', hostile],
        ...[
          ['identified', 'A disk'],
          ['resolved', 'A new disk'],
          ['postmortem', 'Disks are watched from now on'],
        ],
      ],
    )
    const { accessToken: token } = (await stage.service.login('keeper')).body
    const { events } = (await stage.service.request('GET', '/admin/audit?action=update-incident', { token })).body
    assert.deepEqual([events.length, events[0].target], [3, incident.id])

    await page.getByRole('button', { name: 'Delete… Slow uploads' }).click()
    await dialog.getByText('“Slow uploads” disappears from the status page, its feed and JSON').waitFor()
    await assertNoBarriers(page, [390])
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Deleted: Slow uploads').waitFor()
    await page.getByText('Nobody has written about an incident.').waitFor()
    assert.deepEqual((await worker.ask('GET', '/incidents/written')).body.incidents, [])
    assert.deepEqual(complaints, [])
  })
})
