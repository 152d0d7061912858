import { type S3Times, s3Times } from '../../src/drivers/objects/s3/times.ts'

/** A busy machine needs no more. */
export const patientTimes: S3Times = {
  ...s3Times,
  ...{ waitMs: 60_000, connectMs: 60_000, firstByteMs: 60_000, probeFirstByteMs: 60_000, idleMs: 60_000 },
}

/** Of answers that a test withholds: assigned to the times of its store while it withholds all of them. */
export const shortTimes = { firstByteMs: 500, probeFirstByteMs: 400, idleMs: 500 }
