import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'ava';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { bareEnvironment, PROGRAM } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

test('listen prints a line of JSON for each request and records it, and replay sends the same bytes again', async (t) => {
  const dir = tempDir(t);
  const env = { ...bareEnvironment(), PRESSMARK_SECRET: SECRET };
  const options = ['--dir', dir, '--port', '0', '--record', join(dir, 'traffic')];
  const child = spawn(process.execPath, [PROGRAM, 'listen', ...options], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const [greeting] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(greeting)?.[0] ?? '';
  t.regex(greeting, /answers itself, and keeps articles until it ends; every path is the webhook/);

  const file = join(dir, 'article.json');
  const data = article();
  fs.writeFileSync(file, JSON.stringify(data));
  const sent = runHere(['send', 'article.published', '--dir', dir, '--file', file, '--to', url], {
    PRESSMARK_SECRET: SECRET,
  });
  const [line] = (await once(lines, 'line')) as [string];
  t.is((await sent).code, 0);
  const { event, signature, status, id, findings, file: recorded } = JSON.parse(line);
  t.deepEqual([event, signature, status, id], ['article.published', 'right', 200, data.id]);
  t.deepEqual(findings, []);

  const replayed = runHere(['replay', recorded, '--to', url]);
  const [again] = (await once(lines, 'line')) as [string];
  t.is((await replayed).code, 0);
  t.deepEqual([JSON.parse(again).signature, JSON.parse(again).status], ['right', 200]);
  const [first, second] = fs.readdirSync(join(dir, 'traffic')).sort();
  const bodyOf = (name = '') => JSON.parse(fs.readFileSync(join(dir, 'traffic', name), 'utf8')).body;
  t.is(bodyOf(first), bodyOf(second));

  const end = once(child, 'exit');
  child.kill('SIGTERM');
  t.is((await end)[0], 0);
});

test('replay and listen say what is wrong with their options', async (t) => {
  const dir = tempDir(t);
  const missing = await runHere(['replay', join(dir, 'none.json'), '--to', 'http://127.0.0.1:9/']);
  t.is(missing.code, 2);
  t.regex(missing.stderr, /none\.json" is no recording of pressmark listen --record: ENOENT/);
  const statuses = await runHere(['listen', '--dir', dir, '--answer', '99']);
  t.is(statuses.code, 2);
  t.regex(statuses.stderr, /statuses from 200 to 599/);
});
