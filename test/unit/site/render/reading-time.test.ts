import test from 'ava';
import { lengthOf } from '../../../../src/site/render/reading-time.js';

test('words are counted between tags, and not in comments, scripts and styles', (t) => {
  const counts = {
    '': 0,
    '<p>Two words</p>': 2,
    "<p class='not these'>don't count <!-- nor these --> twice</p>": 3,
    '<script>var not = 1 < 2;</script><style>b > i { }</style>one': 1,
    '<section>s</section><span>t</span>': 2,
    'caf&eacute;s &amp; bars&nbsp;open': 3,
    'a < b and no end <': 1,
    'Größe und ümläute': 3,
    'Привет, мир': 2,
    漢字かな交じり: 7,
    '<p>unclosed <!-- comment': 1,
    '<script>unclosed': 0,
  };
  for (const [html, words] of Object.entries(counts)) t.is(lengthOf(html).words, words, html);
});

test('reading takes a minute at least, and Chinese is not read word by word', (t) => {
  t.is(lengthOf('').readingMinutes, 1);
  t.is(lengthOf('word '.repeat(1_150)).readingMinutes, 5);
  t.is(lengthOf('字'.repeat(1_500)).readingMinutes, 3);
});
