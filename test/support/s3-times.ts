import { type S3Times, s3Times } from '../../src/drivers/objects/s3/times.ts'

/** Long enough for a busy machine. */
export const patientTimes: S3Times = {
  ...s3Times,
  waitMs: 60_000,
  connectMs: 60_000,
  firstByteMs: 60_000,
  probeFirstByteMs: 60_000,
  idleMs: 60_000,
}

/** For withheld answers: assigned to the times of a store while the test withholds all answers. */
export const shortTimes = { firstByteMs: 500, probeFirstByteMs: 400, idleMs: 500 }
