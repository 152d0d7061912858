import { parentPort, workerData } from 'node:worker_threads'
import { SqliteConnection } from './connection.ts'
import type { Answer, Question } from './reader-thread.ts'

/* What runs in the thread of reader-thread.ts. */

const connection = new SqliteConnection(workerData, { readOnly: true })

function answerTo({ id, sql, params }: Question): Answer {
  try {
    return { id, rows: connection.run(sql, params).rows }
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number }
    return { id, message, errcode }
  }
}

parentPort?.on('message', (question: Question | null) => {
  if (question !== null) return parentPort?.postMessage(answerTo(question))
  connection.close()
  parentPort?.close()
})
