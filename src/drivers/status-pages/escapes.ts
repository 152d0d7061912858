/** A way to write a sign in several, the first of which is its mark. */
export interface Escape {
  /** What may stand after the mark where more has to come. */
  readonly part: RegExp
  readonly whole: RegExp
  /** In bytes of UTF-8. */
  meaning(written: string): string
}

const numberIn = (text: string, base: number) => Number.parseInt(text.replace(/^[#uxX{]+/, ''), base)
const byteOf = (text: string) => String.fromCharCode(numberIn(text, 16))
const signOf = (code: number) => (code > 0x10ffff ? '?' : Buffer.from(String.fromCodePoint(code)).toString('latin1'))

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** As HTML calls what is ASCII and neither a letter nor a digit, and the hyphens that are taken for ours. */
const names: Readonly<Record<string, string>> = {
  ...{ Tab: '\t', NewLine: '\n', excl: '!', quot: '"', QUOT: '"', num: '#', dollar: '$', percnt: '%', amp: '&' },
  ...{
    AMP: '&',
    apos: "'",
    lpar: '(',
    rpar: ')',
    ast: '*',
    midast: '*',
    plus: '+',
    comma: ',',
    hyphen: '-',
    dash: '-',
  },
  ...{ period: '.', sol: '/', colon: ':', semi: ';', lt: '<', LT: '<', equals: '=', gt: '>', GT: '>', quest: '?' },
  ...{ commat: '@', lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', Hat: '^', lowbar: '_', UnderBar: '_' },
  ...{ grave: '`', DiacriticalGrave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|', VerticalLine: '|' },
  ...{ rcub: '}', rbrace: '}' },
}

/** By their marks: of URLs, of JSON and JavaScript, of HTML, and of mail (quoted-printable). */
export const escapes: Readonly<Record<string, Escape>> = {
  '%': { part: /^[\da-fA-F]$/, whole: /^[\da-fA-F]{2}$/, meaning: byteOf },
  '\\': {
    part: /^(?:x[\da-fA-F]?|u[\da-fA-F]{0,3}|u\{[\da-fA-F]{0,6})$/,
    whole: /^(?:[^a-zA-Z\d]|[bfnrt]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]{1,6}\})$/,
    meaning(written) {
      if (written.length === 1) return controls[written] ?? written
      return written.startsWith('x') ? byteOf(written) : signOf(numberIn(written, 16))
    },
  },
  '&': {
    part: /^(?:[a-zA-Z]{1,16}|#\d{0,9}|#[xX][\da-fA-F]{0,9})$/,
    whole: new RegExp(`^(?:#\\d{1,10};?|#[xX][\\da-fA-F]{1,10};?|(?:${Object.keys(names).join('|')});)$`),
    meaning(written) {
      if (!written.startsWith('#')) return names[written.slice(0, -1)] ?? ''
      return signOf(numberIn(written, /x/i.test(written) ? 16 : 10))
    },
  },
  '=': {
    part: /^(?:[\da-fA-F]|\r)$/,
    whole: /^(?:[\da-fA-F]{2}|\r?\n)$/,
    meaning: (written) => (written.endsWith('\n') ? '' : byteOf(written)),
  },
}
