import net from 'node:net';
import test from 'ava';
import { pino } from 'pino';
import { startApp } from '../../../src/app/app.js';
import { loadSettings } from '../../../src/config/load.js';
import { SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';

test('a start that fails leaves no timer behind', async (t) => {
  const { setInterval: set, clearInterval: clear } = globalThis;
  const running = new Set<unknown>();
  globalThis.setInterval = ((...all: Parameters<typeof set>) => {
    const timer = set(...all);
    running.add(timer);
    return timer;
  }) as typeof set;
  globalThis.clearInterval = (timer) => {
    running.delete(timer);
    clear(timer);
  };
  t.teardown(() => Object.assign(globalThis, { setInterval: set, clearInterval: clear }));

  const other = net.createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const { port } = other.address() as net.AddressInfo;
  const env = { PATH: process.env.PATH, PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };
  const settings = await loadSettings(storeOnly(tempDir(t)), { port, host: '127.0.0.1' }, env);
  await t.throwsAsync(startApp(settings, pino({ level: 'silent' }), { live: true }), {
    code: 'PORT_UNAVAILABLE',
  });
  t.is(running.size, 0);
});
