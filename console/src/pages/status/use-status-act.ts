import { useMutation, useQueryClient } from '@tanstack/react-query'
import { showFailure, showToast } from '../../parts/toasts.tsx'

/** A write to the status worker; whatever happened, everything that it knows is read again. */
export function useStatusAct<Terms>(act: (terms: Terms) => Promise<unknown>, done: (terms: Terms) => string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: (_, terms) => showToast(done(terms)),
    onError: showFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ['status'] }),
  })
}
