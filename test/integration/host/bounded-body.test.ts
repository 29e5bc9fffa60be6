import test from 'ava';
import { sharedHere } from '../../support/receiver-here.js';
import { withPlugins } from '../../support/with-plugins.js';

/** Each way in which a route reads a body. */
const ROUTES = `export default { name: 'bodies', receiver(host) { host.routes((router) => {
  router.post('/loop', async (context) => {
    let bytes = 0;
    for await (const chunk of context.req) bytes += chunk.length;
    context.body = { bytes };
  });
  router.post('/events', async (context) => {
    let bytes = 0;
    context.req.on('data', (chunk) => { bytes += chunk.length; });
    await new Promise((resolve) => context.req.once('end', resolve));
    context.body = { bytes };
  });
  router.post('/unread', (context) => { context.body = { bytes: 0 }; });
}); } };`;

const receiver = sharedHere(test, { storeOnly: true }, (dir) => withPlugins(dir, { bodies: ROUTES }));

/** A body whose length is not announced. */
function inChunks(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, 50_000);
      left -= size;
      if (size > 0) controller.enqueue(new Uint8Array(size));
      else controller.close();
    },
  });
}

async function post(path: string, body: Uint8Array | ReadableStream<Uint8Array>) {
  const answer = await fetch(`${receiver().origin}/-/bodies${path}`, {
    method: 'POST',
    body,
    duplex: 'half',
  } as RequestInit);
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

test('413-route-body: a route reads 1,000,000 bytes, and never gets a body that is larger; one of unknown length is cut off', async (t) => {
  for (const path of ['/loop', '/events'])
    for (const body of [(bytes: number) => new Uint8Array(bytes), inChunks]) {
      t.deepEqual(await post(path, body(1_000_000)), { status: 200, json: { bytes: 1_000_000 } });
      if (body === inChunks) {
        await t.throwsAsync(post(path, body(1_000_001)));
        continue;
      }
      const { status, json } = await post(path, body(1_000_001));
      t.is(status, 413);
      t.is(json.error, 'body is over 1000000 bytes, the most that a route of a plugin reads');
    }
  t.false(
    receiver().log.some(({ level }) => Number(level) >= 40),
    'strangers do not fill the log',
  );
});

test('200-route-body: a route that does not read the body answers before it has come', async (t) => {
  t.deepEqual(await post('/unread', new Uint8Array(10)), { status: 200, json: { bytes: 0 } });
});

test('a method that no route has is refused without an empty Allow', async (t) => {
  const { status, headers } = await fetch(`${receiver().origin}/-/bodies/anything`, { method: 'MKCOL' });
  t.true([404, 405, 501].includes(status), String(status));
  t.is(headers.get('allow'), null);
});
