import test from 'ava';
import { itemComments, keepItemComments } from '../../../src/article/article.js';

test('item comments are found in their order, whatever stands in them', (t) => {
  const [one, two] = ['<!-- svc:item:1 -->', '<!-- svc:item:a\n-- > b -->'];
  t.deepEqual(itemComments(`x${one}y${two}<!-- svc:item:open`), [one, two]);
  t.deepEqual(itemComments('<!-- svc:item: -->'), ['<!-- svc:item: -->']);
  t.is(keepItemComments(`x\n${two}`, `${one}${two}`), `x\n${two}\n${one}`);
});
