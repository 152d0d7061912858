import type { Page } from 'playwright-core'

/** What a person does on the page. */
export type Step = (page: Page) => Promise<unknown>

type Name = string | RegExp

/** A button, unless it is a `text`, such as that of a `<summary>`; in 'main', since others have the same name. */
export const click =
  (name: Name, where: 'page' | 'main' | 'text' = 'page'): Step =>
  async (page) => {
    const exact = { exact: true }
    // A dialog is in front of the page.
    const dialog = page.getByRole('dialog')
    const place = where === 'main' ? page.getByRole('main') : (await dialog.count()) > 0 ? dialog : page
    const found = where === 'text' ? place.getByText(name, exact) : place.getByRole('button', { name, ...exact })
    await found.first().click()
  }

export const clickLink =
  (name: Name): Step =>
  (page) =>
    page.getByRole('main').getByRole('link', { name, exact: true }).first().click()

export const clickLinkOf =
  (title: string): Step =>
  (page) =>
    page.getByTitle(title, { exact: true }).first().click()

export const seeButton =
  (name: Name): Step =>
  (page) =>
    page.getByRole('main').getByRole('button', { name }).first().waitFor()

/** Its script may still be loading. */
export const seeDialog: Step = (page) => page.getByRole('dialog').waitFor()

export const fill =
  (label: string, text: string): Step =>
  (page) =>
    page.getByLabel(label, { exact: true }).fill(text)

export const tick =
  (label: string): Step =>
  (page) =>
    page.getByRole('checkbox', { name: label, exact: true }).check()

/** Files that the service has not seen, which begin like an image. */
export const chooseFiles =
  (...names: readonly string[]): Step =>
  (page) =>
    page
      .getByRole('main')
      .locator('input[type=file]')
      .first()
      .setInputFiles(
        names.map((name) => ({
          name,
          mimeType: 'image/png',
          buffer: Buffer.from(`\x89PNG\r\n\x1a\n${name}`, 'latin1'),
        })),
      )

export const see =
  (text: Name): Step =>
  (page) =>
    page.getByText(text).first().waitFor()
