import test from 'ava';
import { itemComment, itemComments } from '../../../src/contract/item-comment.js';
import { headerNames, serviceOf, serviceSetting, signatureHeaderIn } from '../../../src/contract/service.js';
import { serviceSchema } from '../../../src/contract/service-schema.js';

const service = (input: object) => serviceOf(serviceSchema.parse(input));

test('a service without a name has the names of the contract', (t) => {
  t.deepEqual(headerNames(service({})), {
    signature: 'X-Service-Signature',
    event: 'X-Service-Event',
    timestamp: 'X-Service-Timestamp',
    contract: 'X-Service-Contract',
  });
  t.is(itemComment('a-1', service({})), '<!-- svc:item:a-1 -->');
});

test('a name is in the headers as it is given, and in the comment in lowercase', (t) => {
  const acme = service({ name: 'Acme-Blog' });
  t.is(headerNames(acme).signature, 'X-Acme-Blog-Signature');
  t.is(itemComment('a-1', acme), '<!-- acme-blog:item:a-1 -->');
  t.is(itemComment('a-1', service({ name: 'Acme', comment: 'ac' })), '<!-- ac:item:a-1 -->');
});

test('a setting says only what is not the default', (t) => {
  for (const setting of [{ name: 'Service' }, { name: 'Acme' }, { name: 'Acme', comment: 'ac' }])
    t.deepEqual(serviceSetting(service(setting)), setting);
});

for (const name of ['', 'Acme Blog', 'Acmé', 'Acme:', 'Acme\r\nX', '<Acme>', 'A'.repeat(65)])
  test(`a name that cannot stand in a header is refused: ${JSON.stringify(name)}`, (t) => {
    for (const input of [{ name }, { name: 'Acme', comment: name }]) {
      const { error } = serviceSchema.safeParse(input);
      t.regex(
        error?.issues[0]?.message ?? '',
        /^must (?:be a word that can stand in a header's name|have at most 64)/,
      );
    }
  });

test('the comments of every service are found in their order', (t) => {
  const [one, two] = ['<!-- svc:item:1 -->', '<!-- acme-blog:item:a\n-- > b -->'];
  t.deepEqual(itemComments(`x${one}:item:y${two}<!-- ac:item:open`), [one, two]);
});

for (const text of [
  '<!-- :item:1 -->',
  '<!-- two words:item:1 -->',
  '<!--acme:item:1 -->',
  '&lt;!-- acme:item:1 --&gt;',
  'acme:item:1 -->',
  `<!-- ${'a'.repeat(65)}:item:1 -->`,
  '<!-- acme:items:1 -->',
])
  test(`another comment is no item comment: ${text.slice(0, 30)}`, (t) => {
    t.deepEqual(itemComments(text), []);
  });

test('a megabyte without an end is read once', (t) => {
  for (const part of ['<!-- svc:item:', ':item:', '<!-- <!-- a:item:', '<!-- '])
    t.deepEqual(itemComments(part.repeat(1_000_000 / part.length)), []);
});

test('the signature header of a service is found among others', (t) => {
  const found = signatureHeaderIn(['host', 'x-signature', 'x-hub-signature-256', 'x-acme-blog-signature']);
  t.is(found, 'X-Acme-Blog-Signature');
  t.is(signatureHeaderIn(['host', 'signature', 'x--signature']), undefined);
});
