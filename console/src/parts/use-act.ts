import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { showFailure, showToast, showUndo } from './toasts.tsx'

/** An act of one click. Whatever the outcome, rereads what it affects, since somebody else may have been faster. */
export function useAct<Terms, Reply = unknown>(
  queryKey: QueryKey,
  act: (terms: Terms) => Promise<Reply>,
  done: (terms: Terms, reply: Reply) => string,
  undoOf: (terms: Terms) => (() => void) | null = () => null,
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess(reply, terms) {
      const undo = undoOf(terms)
      if (undo) showUndo(done(terms, reply), undo)
      else showToast(done(terms, reply))
    },
    onError: showFailure,
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}
