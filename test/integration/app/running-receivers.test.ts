import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { portFindings } from '../../../src/app/doctor/doctor.js';
import { announceReceiver, runningReceivers } from '../../../src/app/running-receivers.js';
import { loadSettings } from '../../../src/config/load.js';
import { freePort } from '../../support/free-port.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL, STORE_ONLY, startReceiver } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

const ENV = { PRESSMARK_SECRET: SECRET };
const filesOf = (dir: string) => fs.readdirSync(join(dir, '.pressmark/receivers'));
const portsOf = async (dir: string) =>
  (await runningReceivers(await loadSettings(dir, {}, {}))).map(({ port }) => port);

test('send and doctor find the receiver of the site wherever it listens, and none that was killed', async (t) => {
  const dir = tempDir(t);
  const send = () => runHere(['send', 'webhook.test', '--dir', dir], ENV);
  const doctor = async () => (await runHere(['doctor', '--dir', dir], ENV)).stdout;

  const first = await startReceiver(t, { ...STORE_ONLY, dir });
  t.regex((await send()).stdout, /^200 /);
  const port = `✓ port: this site’s receiver answers on port ${first.port} (process ${first.pid})`;
  t.true((await doctor()).includes(port));

  await first.kill('SIGKILL');
  t.is(filesOf(dir).length, 1, 'its file is left behind');
  t.deepEqual(await portsOf(dir), []);

  const second = await startHere(t, { storeOnly: true, dir });
  t.is(filesOf(dir).length, 1, 'the next start has removed it');
  t.deepEqual(await portsOf(dir), [second.port]);

  await second.close();
  t.deepEqual(filesOf(dir), []);
  const { code, stderr } = await runHere(['send', 'webhook.test', '--dir', dir], { ...ENV, PORT: '1' });
  t.is(code, 1);
  t.regex(
    stderr,
    /no receiver of this site is running \(.* cannot be reached\); start it with pressmark start/,
  );
});

test('doctor says that a receiver which runs does not answer', async (t) => {
  const dir = tempDir(t);
  const port = await freePort();
  const receiver = { pid: 17, port, since: '', commits: true, siteUrl: SITE_URL, preview: false };
  t.teardown(await announceReceiver(join(dir, '.pressmark'), receiver));
  const text = `this site’s receiver (process 17) does not answer on port ${port}`;
  const settings = await loadSettings(dir, {}, {});
  t.like(await portFindings(settings, await runningReceivers(settings)), [
    { level: 'fail', about: 'port', text },
  ]);
});
