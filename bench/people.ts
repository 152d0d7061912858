import { ask, openConnection, post } from './connection.ts'

export interface Person {
  readonly username: string
  readonly password: string
  /** As sent in the Authorization header. */
  readonly accessToken: string
}

export async function registerPeople(port: number, count: number): Promise<Person[]> {
  const connection = await openConnection(port)
  const people: Person[] = []
  for (let i = 0; i < count; i += 1) {
    const username = `bench-${String(i).padStart(4, '0')}`
    const password = `correct horse ${username}`
    const { status, body } = await connection.send(post('/auth/register', { username, password }))
    if (status !== 201) throw new Error(`register answered ${status}: ${body}`)
    people.push({ username, password, accessToken: JSON.parse(body).accessToken })
  }
  connection.close()
  return people
}

/** The Authorization header of a new user. */
export async function tokenOn(port: number): Promise<{ readonly Authorization: string }> {
  const [person] = await registerPeople(port, 1)
  return { Authorization: person?.accessToken ?? '' }
}

export const loginRequest = ({ username, password }: Person) => post('/auth/login', { username, password })

/** Created by the server's settings. */
export const owner = { username: 'bench-owner', password: 'correct horse bench-owner', accessToken: '' }
export const ownerSettings = { OWNER_USERNAME: owner.username, OWNER_PASSWORD: owner.password }

export async function signInOwner(port: number): Promise<string> {
  const { body } = await ask(port, loginRequest(owner))
  return JSON.parse(body).accessToken
}
