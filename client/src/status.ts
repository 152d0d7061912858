import type { Api, Body, CallOptions, Options } from './api.ts'

/** The status worker's data, for administrators; moderators and support may read some of it, and everybody `page`. */
export function createStatus({ send, get, post, pages }: Api) {
  return {
    /** What the public status page shows. */
    page: get('/status.json'),
    components: get('/admin/status/components'),
    incidents: (options?: Options<'get', '/admin/status/incidents'>) =>
      pages('/admin/status/incidents', ({ incidents }) => incidents, options),
    writtenIncidents: (options?: Options<'get', '/admin/status/incidents/written'>) => {
      // The service decides how many are a page, and refuses a limit.
      const unlimited: CallOptions & { readonly limit?: undefined } = { ...options, limit: undefined }
      return pages('/admin/status/incidents/written', ({ incidents }) => incidents, unlimited)
    },
    openIncident: post('/admin/status/incidents'),
    updateIncident: (id: string, body: Body<'post', '/admin/status/incidents/{id}/updates'>, options?: CallOptions) =>
      send('post', '/admin/status/incidents/{id}/updates', options, { params: { id }, json: body }),
    deleteIncident: (id: string, options?: CallOptions) =>
      send('delete', '/admin/status/incidents/{id}', options, { params: { id } }),
    diag: get('/admin/status/diag'),
    runs: (id: string, options?: CallOptions) =>
      send('get', '/admin/status/components/{id}/runs', options, { params: { id } }),
    change: (id: string, body: Body<'patch', '/admin/status/components/{id}'>, options?: CallOptions) =>
      send('patch', '/admin/status/components/{id}', options, { params: { id }, json: body }),
    retire: (id: string, options?: Options<'delete', '/admin/status/components/{id}'>) =>
      send('delete', '/admin/status/components/{id}', options, { params: { id } }),
    acknowledge: (id: string, options?: CallOptions) =>
      send('post', '/admin/status/components/{id}/acknowledge', options, { params: { id } }),
    mute: (id: string, body: { readonly until: string }, options?: CallOptions) =>
      send('put', '/admin/status/components/{id}/mute', options, { params: { id }, json: body }),
    unmute: (id: string, options?: CallOptions) =>
      send('delete', '/admin/status/components/{id}/mute', options, { params: { id } }),
    maintenance: {
      list: (options?: Options<'get', '/admin/status/maintenance'>) =>
        pages('/admin/status/maintenance', ({ maintenance }) => maintenance, options),
      announce: post('/admin/status/maintenance'),
      /** What is not given stays as it is. */
      change: (id: string, body: Body<'put', '/admin/status/maintenance/{id}'>, options?: CallOptions) =>
        send('put', '/admin/status/maintenance/{id}', options, { params: { id }, json: body }),
      end: (id: string, options?: CallOptions) =>
        send('delete', '/admin/status/maintenance/{id}', options, { params: { id } }),
      recurring: {
        list: get('/admin/status/maintenance/recurring'),
        announce: post('/admin/status/maintenance/recurring'),
        end: (id: string, options?: CallOptions) =>
          send('delete', '/admin/status/maintenance/recurring/{id}', options, { params: { id } }),
      },
    },
    announcements: {
      list: get('/admin/status/announcements'),
      announce: post('/admin/status/announcements'),
      end: (id: string, options?: CallOptions) =>
        send('delete', '/admin/status/announcements/{id}', options, { params: { id } }),
    },
    targets: get('/admin/status/targets'),
    testTarget: (name: string, options?: CallOptions) =>
      send('post', '/admin/status/targets/{name}/test', options, { params: { name } }),
  }
}
