/**
 * Keeps the driver from sleeping until the answer is called. A driver that is quicker than the server sleeps after each
 * answer, and waking it is a system call's worth of work in the server, which a slower contestant then pays and a
 * quicker one does not.
 */
export function stayAwake(): () => void {
  let isOver = false
  const turn = () => {
    if (!isOver) setImmediate(turn)
  }
  turn()
  return () => {
    isOver = true
  }
}
