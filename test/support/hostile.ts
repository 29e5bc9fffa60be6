/** A text that some parser may take long for, of about so many characters. */
export type HostileText = (length: number) => string;

const repeated =
  (piece: string): HostileText =>
  (length) =>
    piece.repeat(Math.ceil(length / piece.length));

/** As many lines as fit, each made from its number. */
const lines =
  (line: (n: number) => string): HostileText =>
  (length) => {
    let text = '';
    for (let n = 0; text.length < length; n++) text += line(n);
    return text;
  };

/** Repetitions for which parsers of Markdown and HTML look again and again for an end, and what nests deeply. */
export const HOSTILE_TEXTS: Readonly<Record<string, HostileText>> = {
  'open images': repeated('!['),
  'open brackets': repeated('['),
  'empty links': repeated('[]('),
  'closed images': (length) => `${repeated('![')((length * 2) / 3)}${repeated(']()')(length / 3)}`,
  'references without definitions': repeated('[a'),
  definitions: lines((n) => `[a${n}]: b\n`),
  'open emphasis': repeated('*a_'),
  'emphasis in words': repeated('_a'),
  'mixed emphasis': lines((n) => `${'*'.repeat(1 + (n % 3))}a${'_'.repeat(1 + (n % 2))}`),
  'code spans of all lengths': lines((n) => `${'`'.repeat(n % 2_000)}a`),
  'open tags': repeated('<a '),
  'open attributes': repeated('<a b="'),
  'less-than signs': repeated('<'),
  'open comments': repeated('<!--'),
  'open elements': repeated('<div>'),
  'open formatting': repeated('<b>'),
  'closing tags': repeated('</a'),
  'plaintext elements': repeated('<plaintext>'),
  'open scripts': repeated('<script>'),
  'elements in SVG': (length) => `<svg>${repeated('<a/>')(length)}`,
  entities: repeated('&amp;'),
  'item comments': lines((n) => `<!-- svc:item:${n} -->`),
  'open item comments': repeated('<!-- svc:item:'),
  dividers: repeated('<!--more-->\n'),
  shortcodes: repeated('{{<'),
  'template tags': repeated('{%'),
  'nested lists': lines((n) => `${' '.repeat(2 * (n % 400))}- a\n`),
  'nested quotes': lines((n) => `${'>'.repeat(n % 500)} a\n`),
  'lines in nested quotes': (length) => `${'>'.repeat(99)}a\n${repeated('<\n')(length)}`,
  'short lists': repeated('-\n'),
  headings: repeated('# a\n'),
  'underlined headings': repeated('a\n=\n'),
  paragraphs: repeated('a\n\n'),
  tables: repeated('|a|b|\n'),
  'empty lines': repeated('\n'),
  tabs: repeated('\t'),
  'spaces at line ends': repeated(' \n'),
  'line separators': repeated('\u2028'),
  'one long line': repeated('a'),
  'lines like YAML': repeated(': \n'),
  quotes: repeated('"'),
  backslashes: repeated('\\'),
  addresses: repeated('http://a.b '),
};
