/**
 * The receiver that ours is measured against: what a careful person would write by hand. It verifies the
 * signature over the raw bytes and writes each article durably, and that is all: no checks of the payload, no
 * deduplication, no slugs, no catalog, no lock, no log.
 *
 * Arguments: the port; the folder to write into.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import Koa from 'koa';
import getRawBody from 'raw-body';

interface Delivery {
  readonly data: { readonly id: string };
}

const [port, folder = ''] = process.argv.slice(2);
const secret = process.env.PRESSMARK_SECRET ?? '';

const app = new Koa();
app.use(async (context) => {
  if (context.path === '/healthz') {
    context.body = { ok: true };
    return;
  }
  const body = await getRawBody(context.req, { limit: 1_000_000, length: context.get('content-length') });
  if (!isSigned(body, context.get('x-service-signature'))) {
    context.status = 401;
    context.body = { error: 'the signature does not match' };
    return;
  }
  const delivery: Delivery = JSON.parse(body.toString('utf8'));
  await store(folder, delivery.data.id, body);
  context.body = { received: true };
});
app.listen(Number(port));

function isSigned(body: Buffer, header: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(header);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

async function store(directory: string, id: string, body: Buffer): Promise<void> {
  const temp = join(directory, `.${randomUUID()}.tmp`);
  const file = await fs.open(temp, 'wx');
  try {
    await file.writeFile(body);
    await file.sync();
  } finally {
    await file.close();
  }
  await fs.rename(temp, join(directory, `${id}.json`));
  const parent = await fs.open(directory, 'r');
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}
