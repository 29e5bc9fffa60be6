import test from 'ava';
import { excerptOf, lengthOf, textOfHtml } from '../../../../src/site/index/html-text.js';

test('words are counted between tags, and not in comments, scripts and styles; Chinese is not read word by word', (t) => {
  const counts = {
    "<p class='not these'>don't count <!-- nor these --> twice</p>": 3,
    '<script>var not = 1 < 2;</script><style>b > i { }</style>one': 1,
    '<section>s</section><span>t</span>': 2,
    'caf&eacute;s &amp; bars&nbsp;open': 3,
    'a < b and no end <': 1,
    'Привет, мир': 2,
    漢字かな交じり: 7,
    '<p>unclosed <!-- comment': 1,
    '<script>unclosed': 0,
  };
  for (const [html, words] of Object.entries(counts)) t.is(lengthOf(html).words, words, html);
  t.is(lengthOf('').readingMinutes, 1);
  t.is(lengthOf('word '.repeat(1_150)).readingMinutes, 5);
  t.is(lengthOf('字'.repeat(1_500)).readingMinutes, 3);
});

test('the text of HTML has no markup and no references; an excerpt ends with a whole word and is never long', (t) => {
  t.is(textOfHtml('<p>Soil &amp; <em>mo</em>ss</p><p>two&nbsp;lines</p>'), 'Soil & moss two lines');
  t.is(textOfHtml('a<br>b<!-- not this --><script>nor("this")</script>'), 'a b');
  t.is(excerptOf('<h2>Not this</h2><p>Short.</p><p>And whole.</p>'), 'Short. And whole.');
  const long = excerptOf(`<p>${'word and another one, '.repeat(100)}</p>`);
  t.true(long.length <= 201 && /(?:word|and|another|one,)…$/.test(long), long);
  const unbroken = excerptOf('🌱'.repeat(500));
  t.true(unbroken.isWellFormed() && unbroken.endsWith('🌱…') && unbroken.length <= 201);
});
