import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { acceptedText, sentText } from '../../src/status/told.ts'

describe('What is said of the messages to a target', () => {
  it('calls an acknowledgement and a reminder so, not the outage that they are about', () => {
    const outage = { status: 'outage', isReminder: false, isAcknowledgement: false }
    assert.deepEqual([outage, { ...outage, isReminder: true }, { ...outage, isAcknowledgement: true }].map(sentText), [
      'outage',
      'reminder',
      'acknowledgement',
    ])
  })

  it('is no outage for an alert channel that accepted none, and nothing for a page that accepted nothing', () => {
    for (const [isAlert, publishedStatus, text] of [
      [true, 'operational', 'no outage'],
      [true, 'outage', 'outage'],
      [false, 'operational', 'operational'],
      [false, null, 'nothing'],
    ] as const)
      assert.equal(acceptedText({ isAlert, publishedStatus }), text)
  })
})
