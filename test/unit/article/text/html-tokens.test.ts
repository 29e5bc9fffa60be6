import test from 'ava';
import { attributeOf, htmlTokens } from '../../../../src/article/text/html-tokens.js';
import { fc } from '../../../support/property.js';

const shown = (html: string) =>
  htmlTokens(html).map((token) =>
    token.kind === 'comment'
      ? html.slice(token.start, token.end)
      : `${token.kind === 'close' ? '/' : ''}${token.name}`,
  );

test('tags and comments are listed in their order', (t) => {
  t.deepEqual(shown('<!doctype html><HTML lang=en><Head></head><body class="a>b"><p>1 < 2 <b>x</b></body>'), [
    'html',
    'head',
    '/head',
    'body',
    'p',
    'b',
    '/b',
    '/body',
  ]);
  t.deepEqual(shown('<!-- </head> --><i><!----><!--><u><!--->'), [
    '<!-- </head> -->',
    'i',
    '<!---->',
    '<!-->',
    'u',
    '<!--->',
  ]);
});

test('what stands in scripts, styles, titles and values is not a tag', (t) => {
  t.deepEqual(shown('<script>"</head>" <b> </script ><style></head></style><title></head></title><p>'), [
    'script',
    'style',
    'title',
    'p',
  ]);
  t.deepEqual(shown('<a title="</head>" data-x=\'</p>\'>x</a>'), ['a', '/a']);
  t.deepEqual(shown("<p it's>text</p>"), ['p', '/p']);
  t.deepEqual(shown('<![CDATA[<p>]]><b>'), ['b']);
});

test('a closing tag may have attributes, as a browser reads it: what stands in their values is no tag either', (t) => {
  t.deepEqual(shown('<p>a</p title="<b> </head>" x=\'>\' y=z"><i>'), ['p', '/p', 'i']);
  t.deepEqual(shown('<p>a</p "><i>'), ['p', '/p', 'i']);
  t.deepEqual(shown('<p>a</p x"=y><i>'), ['p', '/p', 'i']);
  t.deepEqual(shown('<script>a</script x=">"><i></i x=">">'), ['script', 'i', '/i']);
  t.deepEqual(shown('<p>a</p x="><i>'), ['p']);
});

test('an unfinished page has the tags before its end', (t) => {
  t.deepEqual(shown('<p><a href="'), ['p']);
  t.deepEqual(shown('<p><script>x'), ['p', 'script']);
  t.deepEqual(shown('<p><!-- x'), ['p', '<!-- x']);
});

test('any text has tokens, in order and without overlap', (t) => {
  const piece = fc.constantFrom(' ', ...`< > </ <!-- --> <script </script> " ' = head p /`.split(' '));
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const html = pieces.join('');
        let at = 0;
        for (const { start, end } of htmlTokens(html)) {
          if (start < at || end <= start || end > html.length) return false;
          at = end;
        }
        return true;
      }),
    ),
  );
});

test('an attribute is read in each of its forms', (t) => {
  const read = (html: string, attribute: string) => {
    const [token] = htmlTokens(html);
    return token?.kind === 'open' ? attributeOf(html, token, attribute) : t.fail();
  };
  t.is(read('<link rel=canonical href="/a?b&amp;c">', 'href'), '/a?b&c');
  t.is(read("<link HREF = '/x' rel=canonical>", 'href'), '/x');
  t.is(read('<link rel=canonical href=/x>', 'rel'), 'canonical');
  t.is(read('<a data-href="/y" href="&#x2F;x">', 'href'), '/x');
  t.is(read('<a disabled>', 'href'), undefined);
});
