import test from 'ava';
import { itemComment, itemComments } from '../../../src/contract/item-comment.js';
import { headerNames, serviceOf, serviceSetting, signatureHeaderIn } from '../../../src/contract/service.js';
import { serviceSchema } from '../../../src/contract/service-schema.js';

const service = (input: object) => serviceOf(serviceSchema.parse(input));

test('a service’s name is in the headers as it is given, and in the comment in lowercase, unless that has a name of its own', (t) => {
  t.deepEqual(headerNames(service({})), {
    signature: 'X-Service-Signature',
    event: 'X-Service-Event',
    timestamp: 'X-Service-Timestamp',
    contract: 'X-Service-Contract',
  });
  t.is(itemComment('a-1', service({})), '<!-- svc:item:a-1 -->');
  const acme = service({ name: 'Acme-Blog' });
  t.is(headerNames(acme).signature, 'X-Acme-Blog-Signature');
  t.is(itemComment('a-1', acme), '<!-- acme-blog:item:a-1 -->');
  t.is(itemComment('a-1', service({ name: 'Acme', comment: 'ac' })), '<!-- ac:item:a-1 -->');
  for (const setting of [{ name: 'Service' }, { name: 'Acme' }, { name: 'Acme', comment: 'ac' }])
    t.deepEqual(serviceSetting(service(setting)), setting, 'only what is not the default');
});

test('a name that cannot stand in a header is refused', (t) => {
  for (const name of ['', 'Acme Blog', 'Acmé', 'Acme:', 'Acme\r\nX', 'A'.repeat(65)])
    for (const input of [{ name }, { name: 'Acme', comment: name }])
      t.false(serviceSchema.safeParse(input).success, JSON.stringify(input));
});

test('the comments of every service are found in their order, and no other comment', (t) => {
  const [one, two] = ['<!-- svc:item:1 -->', '<!-- acme-blog:item:a\n-- > b -->'];
  t.deepEqual(itemComments(`x${one}:item:y${two}<!-- ac:item:open`), [one, two]);
  for (const text of [
    ...['<!-- :item:1 -->', '<!-- two words:item:1 -->', '<!--acme:item:1 -->', '<!-- acme:items:1 -->'],
    ...['&lt;!-- acme:item:1 --&gt;', `<!-- ${'a'.repeat(65)}:item:1 -->`],
  ])
    t.deepEqual(itemComments(text), [], text);
  for (const part of ['<!-- svc:item:', ':item:', '<!-- '])
    t.deepEqual(itemComments(part.repeat(1_000_000 / part.length)), [], 'a megabyte is read once');
});

test('the signature header of a service is found among others', (t) => {
  const found = signatureHeaderIn(['host', 'x-signature', 'x-hub-signature-256', 'x-acme-blog-signature']);
  t.is(found, 'X-Acme-Blog-Signature');
  t.is(signatureHeaderIn(['host', 'signature', 'x--signature']), undefined);
});
