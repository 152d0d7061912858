/** One page of a paginated call of the client. */
export async function firstPage<Page>(calls: { pages(): AsyncGenerator<Page, void, undefined> }): Promise<Page> {
  const { value } = await calls.pages().next()
  if (value === undefined) throw new Error('the list has no page')
  return value
}
