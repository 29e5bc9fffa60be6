import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { SENDER_RULES } from '../../../src/conformance/sender/rules/all.js';
import { runHere } from '../../support/in-process.js';
import { startProgram } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('check-sender --listen says what any sender is to do, and judges what came until Ctrl-C', async (t) => {
  const dir = tempDir(t);
  const posts = ['bees', 'wind'].map((name) => join(dir, `${name}.md`));
  for (const post of posts) fs.writeFileSync(post, '---\n---\nText.\n');
  const sender = (...words: string[]) => runHere([...words, '--dir', dir]);
  const steps: [asked: RegExp, act: (url?: string, secret?: string) => Promise<unknown>][] = [
    [
      /Point your service at (\S+) with the secret (\S+)/,
      (url = '', secret = '') => sender('connect', 'trial', url, '--secret', secret),
    ],
    [
      /Publish 2 new articles\./,
      async () => {
        await sender('publish', ...posts);
        child.kill('SIGINT');
      },
    ],
  ];
  const only = ['--only', 'signature,test-on-connect,accepted-is-final'];
  const words = ['check-sender', '--listen', '--port', '0', '--json', ...only];
  const { child, ended } = startProgram(words, {}, ({ stderr }) => {
    const found = steps[0]?.[0].exec(stderr);
    if (found) void steps.shift()?.[1](found[1], found[2]);
  });
  const { code, stdout, stderr } = await ended();
  t.is(code, 1);
  const { rules } = JSON.parse(stdout) as { rules: { id: string; result: string }[] };
  t.deepEqual(
    rules.map(({ id, result }) => [id, result]),
    [
      ['signature', 'passed'],
      ['test-on-connect', 'passed'],
      ['accepted-is-final', 'not checked'],
    ],
    stderr,
  );
});

test('check-sender --list prints its rules, and refuses one that is not there', async (t) => {
  const { stdout } = await runHere(['check-sender', '--list']);
  t.is(stdout.split('\n').filter((line) => line.startsWith('- `')).length, SENDER_RULES.length);
  t.regex(
    stdout,
    /^### Delivery record\n\n- `retry-same-bytes` \(rule 34, payload\): A retry has the same bytes/m,
  );
  const { code, stderr } = await runHere(['check-sender', '--only', 'none', '--port', '0']);
  t.is(code, 2);
  t.regex(stderr, /there is no rule "none"; pressmark check-sender --list/);
});
