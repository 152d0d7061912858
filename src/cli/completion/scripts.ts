import type { OptionWord, Place, Word } from './table.ts'

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const wordsOf = (words: readonly Word[]) => words.map(({ word }) => word).join(' ')
const hasValue = ({ values }: OptionWord) => values !== null
const pathsOf = (table: readonly Place[]) => table.map(({ path }) => path).filter((path) => path !== '')
const functionOf = (name: string) => `_${name.replaceAll('-', '_')}_complete`

/** The completion script of each shell, for the command `name`. */
export const scripts = { bash, zsh, fish }

function bash(name: string, table: readonly Place[]): string {
  const values = table.flatMap(({ path, options }) =>
    options.filter(hasValue).map(({ word, values }) => {
      return `    '${path} ${word}') COMPREPLY=($(compgen -W '${(values ?? []).join(' ')}' -- "$cur")); return ;;`
    }),
  )
  const places = table.map(({ path, words, options, takesFiles }) => {
    return `    '${path}') words='${wordsOf(words)}'; options='${wordsOf(options)}'; files=${takesFiles ? 1 : 0} ;;`
  })
  return `${functionOf(name)}() {
  local at='' words='' options='' files=0 i
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
      ${pathsOf(table).join('|')}) at="$at/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${values.join('\n')}
  esac
  case "$at" in
${places.join('\n')}
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif ((files)); then compopt -o default 2>/dev/null; COMPREPLY=()
  else COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
}
complete -F ${functionOf(name)} ${name}
`
}

function zsh(name: string, table: readonly Place[]): string {
  const described = (words: readonly Word[]) => words.map(({ word, help }) => quoted(`${word}:${help}`)).join(' ')
  const values = table.flatMap(({ path, options }) =>
    options.filter(hasValue).map(({ word, values }) => {
      return `    ('${path} ${word}') compadd -- ${(values ?? []).join(' ')}; return ;;`
    }),
  )
  const places = table.map(({ path, words, options, takesFiles }) => {
    return `    ('${path}') list=(${described(words)}); flags=(${described(options)}); files=${takesFiles ? 1 : 0} ;;`
  })
  return `${functionOf(name)}() {
  local at='' files=0 i
  local -a list flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/\${words[i]}" in
      (${pathsOf(table).join('|')}) at="$at/\${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${places.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe option flags
  elif ((files)); then _files
  else _describe command list; fi
}
compdef ${functionOf(name)} ${name}
`
}

function fish(name: string, table: readonly Place[]): string {
  const at = functionOf(name)
  const escaped = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const lines = table.flatMap(({ path, words, options, takesFiles }) => {
    const start = `complete -c ${name} -n "${at} '${path}'"`
    return [
      ...words.map(({ word, help }) => `${start} -a ${escaped(word)} -d ${escaped(help)}`),
      ...options.map(({ word, help, values }) => {
        const taken = values === null ? '' : ` -x -a ${escaped(values.join(' '))}`
        return `${start} -l ${word.slice(2)}${taken} -d ${escaped(help)}`
      }),
      ...(takesFiles ? [`${start} -F`] : []),
    ]
  })
  return `function ${at}
  set -l at ''
  for word in (commandline -opc)[2..]
    contains -- "$at/$word" ${pathsOf(table).join(' ')}; and set at "$at/$word"
  end
  test "$at" = "$argv[1]"
end
complete -c ${name} -f
${lines.join('\n')}
`
}
