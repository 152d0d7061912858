import { type Call, fileNameOf } from './call.ts'

/** `$ACCESS_TOKEN` includes `Bearer `. */
export const printCurl = ({ method, url, needsToken, body, fileType, returns }: Call): string =>
  [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${/[?&;'()$ ]/.test(url) ? quoted(url) : url}`,
    ...(needsToken ? ['-H "Authorization: $ACCESS_TOKEN"'] : []),
    ...(fileType !== null ? [`-H 'Content-Type: ${fileType}'`, `--data-binary @${fileNameOf(fileType)}`] : []),
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`] : []),
    ...(returns === 'file' ? ['-o image'] : []),
  ].join(' \\\n  ')

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
