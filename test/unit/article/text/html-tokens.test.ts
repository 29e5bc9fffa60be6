import test from 'ava';
import { attributeOf, htmlTokens } from '../../../../src/article/text/html-tokens.js';
import { fc } from '../../../support/property.js';

const shown = (html: string) =>
  htmlTokens(html)
    .map((token) =>
      token.kind === 'comment'
        ? html.slice(token.start, token.end)
        : `${token.kind === 'close' ? '/' : ''}${token.name}`,
    )
    .join(' ');

/** Pages, and their tags and comments as an HTML parser finds them. */
const PAGES: Readonly<Record<string, string>> = {
  '<!doctype html><HTML lang=en><Head></head><body class="a>b"><p>1 < 2 <b>x</b></body>':
    'html head /head body p b /b /body',
  '<!-- </head> --><i><!----><!--><u><!--->': '<!-- </head> --> i <!----> <!--> u <!--->',
  '<script>"</head>" <b> </script ><style></head></style><title></head></title><p>': 'script style title p',
  '<a title="</head>" data-x=\'</p>\'>x</a>': 'a /a',
  '<![CDATA[<p>]]><b>': 'b',
  // A closing tag may have attributes.
  '<p>a</p title="<b> </head>" x=\'>\' y=z"><i>': 'p /p i',
  '<p>a</p x"=y><i>': 'p /p i',
  '<script>a</script x=">"><i></i x=">">': 'script i /i',
  '<p>a</p x="><i>': 'p',
  // Unfinished ones.
  '<p><a href="': 'p',
  '<p><script>x': 'p script',
  '<p><!-- x': 'p <!-- x',
};

test('tags and comments are listed in their order; what stands in scripts, comments and values is none', (t) => {
  for (const [html, tokens] of Object.entries(PAGES)) t.is(shown(html), tokens, html);
});

test('any text has tokens, in order and without overlap', (t) => {
  const piece = fc.constantFrom(' ', ...`< > </ <!-- --> <script </script> " ' = head p /`.split(' '));
  const areInOrder = fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
    const html = pieces.join('');
    let at = 0;
    for (const { start, end } of htmlTokens(html)) {
      if (start < at || end <= start || end > html.length) return false;
      at = end;
    }
    return true;
  });
  t.notThrows(() => fc.assert(areInOrder));
});

test('an attribute is read in each of its forms', (t) => {
  const hrefOf = (html: string) => {
    const [token] = htmlTokens(html);
    return token?.kind === 'open' ? attributeOf(html, token, 'href') : t.fail();
  };
  t.is(hrefOf('<link rel=canonical href="/a?b&amp;c">'), '/a?b&c');
  t.is(hrefOf("<link HREF = '/x' rel=canonical>"), '/x');
  t.is(hrefOf('<a data-href="/y" href=/x>'), '/x');
  t.is(hrefOf('<a disabled>'), undefined);
});
