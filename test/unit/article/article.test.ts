import test from 'ava';
import { itemComments, keepItemComments } from '../../../src/article/article.js';

test('item comments are found in their order, whatever stands in them', (t) => {
  const [one, two] = ['<!-- svc:item:1 -->', '<!-- svc:item:a\n-- > b -->'];
  t.deepEqual(itemComments(`x${one}y${two}<!-- svc:item:open`), [one, two]);
  t.deepEqual(itemComments('<!-- svc:item: -->'), ['<!-- svc:item: -->']);
  t.is(keepItemComments(`x\n${two}`, `${one}${two}`), `x\n${two}\n${one}`);
});

test('a megabyte of comments that never end is read once, not once for each', (t) => {
  t.deepEqual(itemComments('<!-- svc:item:'.repeat(70_000)), []);
  const many = Array.from({ length: 30_000 }, (_, n) => `<!-- svc:item:${n} -->`);
  const text = 'a'.repeat(1_000_000);
  t.is(keepItemComments(text, many.join('')), [text, ...many].join('\n'));
});
