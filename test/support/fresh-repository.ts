import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Commits everything below the folder. */
export function commitAll(folder: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], { cwd: folder })
  git('add', '--all')
  git('commit', '--quiet', '--message', 'The files of the working tree')
}

/** A git repository with the files of this checkout as they are now, to be cloned. */
export function makeRepository(folder: string): string {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const path of listed.split('\0').filter((each) => each !== '' && existsSync(join(root, each)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true })
  }
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  commitAll(folder)
  return folder
}
