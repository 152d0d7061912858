import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hash, verify } from '@node-rs/argon2'
import sharp from 'sharp'

/* What the Express and the Fastify service have in common: SQLite as most people set it up, and the names of images. */

const { DATA_DIR, OBJECTS = '0', USERS = '0', PORT, FOLDER } = process.env

export const port = Number(PORT)
/** With a folder for each kind. */
export const folder = FOLDER
export const secret = 'a secret of the bench that is long enough'
export const manyRequests = 1_000_000_000

mkdirSync(DATA_DIR, { recursive: true })
const db = new DatabaseSync(join(DATA_DIR, 'peer.db'))
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT NOT NULL UNIQUE COLLATE NOCASE, role TEXT NOT NULL,
    password_hash TEXT NOT NULL, banned INTEGER NOT NULL DEFAULT 0, auth INTEGER NOT NULL DEFAULT 0,
    admin INTEGER NOT NULL DEFAULT 0, images INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
  CREATE TABLE components (id TEXT PRIMARY KEY, status TEXT NOT NULL, seen_at INTEGER NOT NULL)`)

const insert = db.prepare(
  'INSERT INTO users (username, role, password_hash, created_at, updated_at) VALUES (?, ?, ?, ?, ?) RETURNING id',
)
const byName = db.prepare('SELECT * FROM users WHERE username = ?')
const byId = db.prepare('SELECT id, username, role, banned FROM users WHERE id = ?')
const all = db.prepare('SELECT id, username, role, banned, auth, admin, images, created_at, updated_at FROM users')
const beat = db.prepare(`INSERT INTO components VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET status = excluded.status, seen_at = excluded.seen_at`)

db.exec('BEGIN')
for (let index = 0; index < Number(USERS); index += 1) {
  const now = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()
  insert.get(`member-${index.toString(36)}`, 'user', 'x'.repeat(97), now, now)
}
db.exec('COMMIT')

/** The service's own parameters: promises.md, "Password hash". */
const argon2id = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export async function register({ username, password }) {
  const now = new Date().toISOString()
  return insert.get(username, 'user', await hash(password, argon2id), now, now).id
}

/** The id of the user; null if the password is wrong. */
export async function login({ username, password }) {
  const user = byName.get(username)
  return user && (await verify(user.password_hash, password)) ? user.id : null
}

export const findUser = (id) => byId.get(id)
export const listUsers = () => all.all()
export const saveHeartbeat = (id, status) => beat.run(id, status, Date.now())

const names = Array.from({ length: Number(OBJECTS) }, (_, index) => `fox-${String(index).padStart(8, '0')}.jpg`)

export function randomImage(kind) {
  const name = names[Math.floor(Math.random() * names.length)]
  return { status: 200, kind, url: `http://localhost:3000/i/${kind}/${name}` }
}

export const resized = (path, width) => sharp(path).rotate().resize({ width, withoutEnlargement: true }).toBuffer()
