import { useState } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'
import { serverNow } from './server-clock.ts'
import { signedInAt } from './session.ts'

const isRefusal = (error: unknown, status: number, text: string) =>
  error instanceof MenagerieError && error.status === status && error.text === text

/** Whether the service refused an act only because the sign-in is older than 10 minutes. */
export const isPasswordMissing = (error: unknown) => isRefusal(error, 403, 'Sign in again or send your password')

/** The same, or because the password was wrong. */
export const isAboutPassword = (error: unknown) =>
  isPasswordMissing(error) || isRefusal(error, 401, 'Invalid credentials')

const recentMs = 10 * 60_000

/**
 * Whether the service will ask for the password, as far as this browser knows when the form opens. Of a sign-in that grows
 * old later, the refusal tells: its field takes the focus.
 */
export const useSignInOld = (): boolean => useState(() => serverNow() - signedInAt() > recentMs)[0]
