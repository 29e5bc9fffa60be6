import test from 'ava';
import { combineOutputs, fixedOutput } from '../../../../src/site/outputs/output.js';

test('no article has its page where an output has files, at the top of the site and without regard to case', (t) => {
  const file = (path: string) => fixedOutput([], () => new Map([[path, () => '']]));
  const outputs = combineOutputs([
    { ...file('index.html'), reserved: ['index.html', '404.html'] },
    { ...file('tags/index.html'), reserved: ['tags/'] },
    { ...file('sitemap.xml'), reserved: ['sitemap*.xml', 'a+b.txt'] },
  ]);
  for (const path of [
    ...['index.html', 'INDEX.htm', '404.html', 'tags/x/index.html', 'Tags/page/1/index.html', 'tags.html'],
    ...['sitemap.xml', 'sitemap-12.xml', 'sitemap.xml/index.html', 'a+b.txt'],
  ])
    t.true(outputs.isReserved(path), path);
  for (const path of [
    'a/index.html',
    'a/tags/index.html',
    'tagsx/index.html',
    'articles/sitemap.xml/index.html',
    'aab.txt',
  ])
    t.false(outputs.isReserved(path), path);
});

test('the first of two outputs that have the same file makes it', (t) => {
  const output = (text: string) => fixedOutput([], () => new Map([['a.txt', () => text]]));
  const outputs = combineOutputs([output('first'), output('second')]);
  t.is(outputs.at('a.txt')?.render('a.txt'), 'first');
  t.is(outputs.at('b.txt'), undefined);
});
