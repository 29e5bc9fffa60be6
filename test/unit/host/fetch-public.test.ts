import test from 'ava';
import { fetchPublic, isPublicAddress } from '../../../src/host/http/fetch-public.js';
import { type Answering, startEndpoint } from '../../support/endpoint.js';

const isAllowed = (address: string) => address === '127.0.0.1';

test('fetchPublic: which addresses are on the public internet', (t) => {
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])
    t.true(isPublicAddress(address), address);
  const others =
    '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.8.8.8 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 ' +
    ':: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 fc00::1 fd12::1 fe80::1 ff02::1 2001:db8::1 2002:7f00:1:: 2001::1 localhost';
  for (const address of others.split(' ')) t.false(isPublicAddress(address), address);
});

test('fetchPublic: no address of the own network is asked, in whatever form it comes', async (t) => {
  const { origin, got } = await startEndpoint(t, (_, response) => response.end());
  const { port } = new URL(origin);
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '0', '[::1]', '[::ffff:7f00:1]', '127.0.0.1.'])
    await t.throwsAsync(
      fetchPublic(`http://${host}:${port}/`),
      { code: 'USAGE', message: /not on the public internet/ },
      host,
    );
  for (const address of ['file:///etc/passwd', 'http://a:b@8.8.8.8/', '/path'])
    await t.throwsAsync(fetchPublic(address), { code: 'USAGE' }, address);
  t.deepEqual(got, []);
});

test('fetchPublic: redirects are followed, none to an address that must not be asked, and another origin does not get what proves who asks', async (t) => {
  const echo: Answering = ({ headers }, response) => response.end(JSON.stringify(headers));
  const { origin: other } = await startEndpoint(t, echo);
  const { origin: own } = await startEndpoint(t, (request, response) => {
    const { searchParams, pathname } = new URL(request.path, 'http://a.example');
    const to = pathname === '/endless' ? '/endless' : searchParams.get('to');
    if (to === null) echo(request, response);
    else response.writeHead(302, { Location: to }).end();
  });
  const headers = { Authorization: 'Bearer x', cookie: 'a=b', 'X-Api-Key': 'x', Accept: 'image/png' };
  const ask = (to: string) =>
    fetchPublic(`${own}/?to=${encodeURIComponent(to)}`, { isAllowed, headers }).then(({ url, body }) => {
      const { authorization, cookie, accept, 'x-api-key': key } = JSON.parse(body.toString());
      return { url, sent: [authorization, cookie, key, accept] };
    });
  t.deepEqual(await ask('/'), { url: `${own}/`, sent: ['Bearer x', 'a=b', 'x', 'image/png'] });
  const elsewhere = { url: `${other}/`, sent: [undefined, undefined, undefined, 'image/png'] };
  t.deepEqual(await ask(`${other}/`), elsewhere);
  for (const to of ['http://127.0.0.2/', 'http://[::1]/', 'file:///etc/passwd'])
    await t.throwsAsync(ask(to), { code: 'USAGE' });
  await t.throwsAsync(fetchPublic(`${own}/endless`, { isAllowed }), {
    code: 'UNREACHABLE',
    message: /more than 5 times/,
  });
  t.is((await fetchPublic(`${own}/?to=/`, { isAllowed, method: 'POST' })).status, 302);
});

test('fetchPublic: an answer is bounded in length and time, and a request has its body', async (t) => {
  const { origin } = await startEndpoint(t, ({ path, headers, body }, response) => {
    if (path === '/never') return;
    if (path === '/long') response.write('x'.repeat(5_000));
    else if (path === '/cut') {
      response.writeHead(200, { 'Content-Length': 10 }).write('x');
      setImmediate(() => response.destroy());
    } else response.end(`${headers['content-type']} ${body}`);
  });
  await t.throwsAsync(fetchPublic(`${origin}/long`, { isAllowed, maxBytes: 4_000 }), {
    code: 'UNREACHABLE',
    message: /more than 4000 bytes/,
  });
  await t.throwsAsync(fetchPublic(`${origin}/cut`, { isAllowed }), { code: 'UNREACHABLE' });
  await t.throwsAsync(fetchPublic(`${origin}/never`, { isAllowed, timeoutMs: 20 }), { code: 'UNREACHABLE' });
  const { body } = await fetchPublic(`${origin}/`, {
    isAllowed,
    method: 'POST',
    body: new URLSearchParams({ a: 'b c' }),
  });
  t.is(body.toString(), 'application/x-www-form-urlencoded a=b+c');
});
