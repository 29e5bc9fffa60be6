import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { reply, startEndpoint } from '../support/endpoint.js';
import { run } from '../support/receiver.js';
import { SECRET } from '../support/signer.js';
import { tempDir } from '../support/temp-dir.js';

// Mounting is root's business; without it the tests fail and say so, they do not pass by.
async function senderOnDiskOfItsOwn(t: ExecutionContext) {
  const dir = tempDir(t);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir]);
  t.teardown(() => execFileSync('umount', ['--lazy', dir]));
  let answering = reply(503, 'busy');
  const endpoint = await startEndpoint(t, (got, response) => {
    const test = got.headers['x-service-event'] === 'webhook.test';
    return (test ? reply(200) : answering)(got, response);
  });
  const sender = (...args: string[]) => run([...args, '--dir', dir], { PRESSMARK_SECRET: SECRET });
  const connected = await sender('connect', 'garden', endpoint.url);
  t.is(connected.code, 0, connected.stderr);
  fs.writeFileSync(join(dir, 'one.md'), '---\ntitle: One\n---\nText.\n');
  t.is((await sender('publish', join(dir, 'one.md'))).code, 1);
  answering = reply(200);
  // Due again, as it will be in a minute.
  const [name = ''] = fs.readdirSync(join(dir, '.pressmark-sender/deliveries'));
  const record = join(dir, '.pressmark-sender/deliveries', name);
  fs.writeFileSync(
    record,
    fs.readFileSync(record, 'utf8').replace(/"nextRetryAt":"\d{4}/, '"nextRetryAt":"2020'),
  );
  return { dir, sender, endpoint, record };
}

test('a queue on a read-only disk can be looked at; nothing is sent from it', async (t) => {
  const { dir, sender, endpoint, record } = await senderOnDiskOfItsOwn(t);
  const before = [endpoint.got.length, fs.readFileSync(record, 'utf8')];
  execFileSync('mount', ['-o', 'remount,ro', dir]);
  const failed = await sender('work', '--once');
  t.is(failed.code, 1);
  t.regex(failed.stderr, /the queue in .* cannot be written: EROFS/);
  t.deepEqual([endpoint.got.length, fs.readFileSync(record, 'utf8')], before);
  const listed = await sender('deliveries', '--json');
  t.is(listed.code, 0, listed.stderr);
  t.like(JSON.parse(listed.stdout)[0], { status: 'pending', attempts: 1 });
  execFileSync('mount', ['-o', 'remount,rw', dir]);
  t.is((await sender('work', '--once')).code, 0);
});
