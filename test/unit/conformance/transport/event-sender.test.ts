import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { EventSender } from '../../../../src/conformance/transport/event-sender.js';
import { DEFAULT_SERVICE } from '../../../../src/contract/service.js';
import { SECRET } from '../../../support/signer.js';
import { virtualClock } from '../../../support/virtual-clock.js';

/** More than the system takes for a receiver that does not read. */
const LARGE = 32_000_000;
/** For the last byte of the small request, should it leave too soon. */
const TOO_SOON_MS = 50;

test('the last bytes of requests that are sent together wait until the rest of each is on its way', async (t) => {
  const seen: string[] = [];
  const server = http.createServer((request, response) => {
    const name = Number(request.headers['content-length']) > LARGE ? 'large' : 'small';
    request.once('end', () => {
      seen.push(`the ${name} one has ended`);
      response.end();
    });
    const read = () => {
      seen.push(`the ${name} one is read`);
      request.resume();
    };
    if (name === 'small') read();
    else setTimeout(read, TOO_SOON_MS);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  // No time passes, so that nothing but the requests themselves can end the wait.
  const clock = virtualClock(0);
  const sender = new EventSender({
    ...{ secret: SECRET, service: DEFAULT_SERVICE, rate: 100, readOnly: false, clock },
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const event = 'article.published';
  await sender.together(
    url,
    [
      { event, data: { id: 'small' } },
      { event, data: { id: 'large', content_html: 'a'.repeat(LARGE) } },
    ],
    () => seen.push('all are released'),
  );
  const at = (what: string) => seen.indexOf(what);
  t.true(at('the large one is read') < at('all are released'), seen.join(', '));
  t.true(at('the large one is read') < at('the small one has ended'), seen.join(', '));
  t.is(seen.length, 5);
});
