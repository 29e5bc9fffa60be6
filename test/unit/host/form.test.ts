import test from 'ava';
import { fieldsOf, formIn } from '../../../src/host/http/form.js';

const request = (type: string | undefined, body: string | Buffer) => ({
  method: 'POST',
  path: '/',
  headers: type === undefined ? {} : { 'content-type': type },
  body: Buffer.from(body),
});

test('form: a name that comes twice or ends with brackets is a list', (t) => {
  const query = new URLSearchParams('a=1&b[]=2&c=3&c=4&d[0]=5&d[1]=6&e=&__proto__=x&__proto__=y');
  const fields = fieldsOf(query);
  t.deepEqual(
    { ...fields },
    { a: '1', b: ['2'], c: ['3', '4'], d: ['5', '6'], e: '', ['__proto__']: ['x', 'y'] },
  );
  t.is(Object.getPrototypeOf(fields), Object.prototype);
});

test('form: URL-encoded and multipart bodies have fields and files, others have none', async (t) => {
  const encoded = await formIn(
    request('application/x-www-form-urlencoded; charset=utf-8', 'n=%C3%A9+x&l[]=1&l[]=2'),
  );
  t.deepEqual(encoded, { n: 'é x', l: ['1', '2'] });
  const form = new FormData();
  form.append('text', 'a\r\nb');
  form.append('photo[]', new Blob([Buffer.of(0, 255)], { type: 'image/png' }), 'ä.png');
  const sent = new Response(form);
  const type = sent.headers.get('content-type') ?? '';
  const fields = await formIn(request(type, Buffer.from(await sent.arrayBuffer())));
  t.is(fields?.text, 'a\r\nb');
  const [file] = Array.isArray(fields?.photo) ? fields.photo : [];
  t.true(file instanceof File);
  if (file instanceof File) {
    t.is(file.name, 'ä.png');
    t.deepEqual(new Uint8Array(await file.arrayBuffer()), new Uint8Array([0, 255]));
  }
  for (const other of [undefined, 'application/json', 'text/plain'])
    t.is(await formIn(request(other, 'a=1')), undefined);
  for (const broken of ['multipart/form-data', 'multipart/form-data; boundary=x'])
    await t.throwsAsync(formIn(request(broken, 'a=1')));
});

test('form: many values of one name are one list, and a form has at most 1,000 fields', async (t) => {
  const many = Array.from({ length: 400_000 }, (): [string, string] => ['a', '']);
  t.is([fieldsOf(many).a].flat().length, 400_000);
  const encoded = 'application/x-www-form-urlencoded';
  t.is(Object.keys((await formIn(request(encoded, 'a&'.repeat(999)))) ?? {}).length, 1);
  const multipart = new FormData();
  for (let n = 0; n < 1_001; n++) multipart.append('a', '');
  const sent = new Response(multipart);
  const parts = request(sent.headers.get('content-type') ?? '', Buffer.from(await sent.arrayBuffer()));
  for (const long of [request(encoded, 'a&'.repeat(1_000)), parts])
    await t.throwsAsync(formIn(long), { message: 'the form has more than 1000 fields' });
});
