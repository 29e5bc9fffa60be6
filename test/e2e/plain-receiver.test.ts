import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { checkReceiver } from '../../src/conformance/run.js';
import { complaints, optionsFor } from '../support/conformance/checked.js';
import { SECRET } from '../support/signer.js';

const PROGRAM = fileURLToPath(
  new URL('../../../test/support/conformance/plain_receiver.py', import.meta.url),
);

test('a receiver in another language, written from the contract alone, keeps every rule', async (t) => {
  const child = spawn('python3', [PROGRAM], {
    env: { PATH: process.env.PATH, PRESSMARK_SECRET: SECRET, SITE_URL: 'https://garden.example' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const url = new URL(`http://127.0.0.1:${Number(line)}/webhook`);
  const report = await checkReceiver(optionsFor(url, { pages: { origin: url.origin, waitMs: 10_000 } }));
  t.is(report.version, 3);
  // It has no admin in which a person could edit.
  t.deepEqual(
    complaints(report).filter((line) => !line.includes('with --manual')),
    [],
  );
});
