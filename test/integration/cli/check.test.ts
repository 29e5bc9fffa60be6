import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { sign } from '../../../src/contract/signature.js';
import { referenceSteps, type Steps, serveSteps } from '../../support/conformance/receiver.js';
import { answers } from '../../support/conformance/ways.js';
import { runHere } from '../../support/in-process.js';
import { startProgram } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

const FAST = ['--rate', '100000'];

const check = (...args: string[]) => runHere(['check', ...args]);

async function serve(t: ExecutionContext, change: (steps: Steps) => void = () => undefined): Promise<string> {
  const steps = referenceSteps();
  change(steps);
  const { url, close } = await serveSteps(steps);
  t.teardown(close);
  return url.href;
}

const broken = answers('article.updated', () => ({ status: 202, text: '<b>"Done" | & gone</b>' }));

test('check of a broken receiver exits with 1, and names for each broken rule what was expected, what came and how to repair it', async (t) => {
  const dir = tempDir(t);
  const url = await serve(t, broken);
  const only = ['--only', 'signature-missing,update-200,update-content'];
  const options = ['--secret', SECRET, '--dir', dir, ...FAST, ...only];
  const { code, stdout } = await check(url, ...options, '--markdown', join(dir, 'report.md'));
  t.is(code, 1);
  t.true(
    stdout.includes(
      '✗ update-200 (rule 93, contract: article.updated): An update based on the current revision is answered 200.\n' +
        '    expected  status 200\n' +
        '    got       202 <b>"Done" | & gone</b>\n' +
        '    fix       Replace content and revision',
    ),
  );
  t.regex(stdout, /- not checked, it needs update-200 \(failed\): update-content\n/);

  const markdown = fs.readFileSync(join(dir, 'report.md'), 'utf8');
  t.regex(
    markdown,
    /^!\[Contract: Version 3, \d+ of \d+ rules\]\(https:\/\/img\.shields\.io\/badge\/[^ )]*-red\)\n/,
  );
  t.regex(markdown, /\| Authentication \| (\d+) of \1 \| ✅ \|/);
  t.regex(markdown, /\| article\.updated \| \d+ of \d+ \| ❌ \|/);
  t.true(markdown.includes('202 &lt;b&gt;"Done" \\| & gone&lt;/b&gt;'));
});

test('check fails because of advice only with --strict', async (t) => {
  const url = await serve(
    t,
    answers('article.lookup', ({ target, ...json }) => ({
      json: { ...json, target: { ...Object(target), title: 'Another' } },
    })),
  );
  const args = [url, '--secret', SECRET, '--dir', tempDir(t), '--only', 'content-title', ...FAST];
  const lenient = await check(...args);
  t.is(lenient.code, 0);
  t.regex(lenient.stdout, /! content-title .*\n +expected {2}title, unchanged; .*\n +got +"Another"/);
  t.is((await check(...args, '--strict')).code, 1);
});

test('check refuses wrong usage, and says what is missing', async (t) => {
  for (const [args, message] of [
    [['--secret', SECRET], /the receiver’s URL is missing/],
    [['http://localhost:8787/webhook', '--dir', tempDir(t)], /there is no secret to sign with/],
    [['http://localhost/', '--secret', SECRET, '--only', 'x'], /there is no rule "x"/],
    [
      ['http://localhost/', '--secret', SECRET, '--article-url', 'https://a.example/'],
      /--article-url .* is not a pattern with \{slug\} or \{id\}/,
    ],
  ] as const) {
    const { code, stdout, stderr } = await check(...args);
    t.deepEqual([code, stdout], [2, ''], args.join(' '));
    t.regex(stderr, message);
  }
});

test('check --verbose prints the request and the answer of a finding, and a command that repeats it without the secret in it', async (t) => {
  const dir = tempDir(t);
  const url = await serve(t, broken);
  const only = ['--only', 'update-200', '--verbose'];
  const { stdout } = await check(url, '--secret', SECRET, '--dir', dir, ...FAST, ...only);
  t.regex(stdout, /request {3}POST http.*\/webhook\n {14}Content-Type: application\/json\n/);
  t.regex(stdout, /X-Service-Signature: \(the right one\)\n/);
  t.regex(stdout, /answer {4}202\n/);
  t.false(stdout.includes(SECRET));
  const repeat = / repeat {4}(body=.*)/.exec(stdout)?.[1] ?? '';
  const curl = '#!/bin/sh\nprintf "%s\\n" "$@"\ncat > sent\n';
  fs.writeFileSync(join(dir, 'curl'), curl, { mode: 0o755 });
  const env = { PRESSMARK_SECRET: SECRET, PATH: `${dir}:${process.env.PATH}` };
  const again = execFileSync('sh', ['-c', repeat], { cwd: dir, env, encoding: 'utf8' });
  const body = fs.readFileSync(join(dir, 'sent'));
  t.is(JSON.parse(body.toString()).event, 'article.updated');
  t.true(again.includes(`X-Service-Signature: ${sign(body, SECRET)}`), again);
});

test('check --baseline fails for new failures alone, and --skip leaves rules out', async (t) => {
  const dir = tempDir(t);
  const url = await serve(t, broken);
  const args = [url, '--secret', SECRET, '--dir', dir, ...FAST, '--only', 'update-200,publish-200'];
  const baseline = join(dir, 'before.json');
  const before = await check(...args, '--json');
  t.is(before.code, 1);
  fs.writeFileSync(baseline, before.stdout);
  const known = await check(...args, '--baseline', baseline);
  t.is(known.code, 0);
  t.regex(known.stdout, /~ update-200 .*\n/);
  t.regex(known.stdout, /1 known/);
  const skipped = await check(...args, '--skip', 'update-200');
  t.is(skipped.code, 0);
  t.regex(skipped.stdout, /not checked, --skip leaves it out: update-200\n/);

  fs.writeFileSync(baseline, '[]');
  const wrong = await check(...args, '--baseline', baseline);
  t.is(wrong.code, 2);
  t.regex(wrong.stderr, /before\.json" cannot be read as a report of pressmark check --json/);
});

test('check --manual asks a person for a step and goes on, until Ctrl-C, after which it says what it has left behind; --html writes a page with the findings', async (t) => {
  const dir = tempDir(t);
  const steps = referenceSteps();
  const { url, close } = await serveSteps(steps);
  t.teardown(close);
  const html = join(dir, 'report.html');
  const only = ['--only', 'manual-edit-is-kept,manual-restart-keeps-ids', '--manual', '--html', html];
  const words = ['check', url.href, '--secret', SECRET, '--dir', dir, ...FAST, ...only];
  const asked = [
    /Edit the article ".+" \(https:.+\) in the receiver’s own admin: change a word, and save it\. Then press Enter\./,
    /Restart the receiver, and wait until it answers\. Then press Enter\./,
  ];
  const { ended } = startProgram(words, {}, ({ stderr }, child) => {
    if (!asked[0]?.test(stderr)) return;
    asked.shift();
    const edited = [...steps.store.articles.values()].find(({ id }) => id.includes('edited-by-hand'));
    if (asked.length === 0 || edited === undefined) return void child.kill('SIGINT');
    steps.edit(edited);
    child.stdin.write('\n');
  });
  const { code, stdout } = await ended();
  t.is(code, 1);
  t.regex(stdout, /not checked, the run was interrupted: manual-restart-keeps-articles/);
  t.regex(stdout, /The run left .* articles?:\n {2}pressmark-check-[0-9a-f]{8}-/);
  const page = fs.readFileSync(html, 'utf8');
  t.regex(page, /^<!doctype html>\n<html lang="en">/);
  t.regex(page, /manual-edit-is-kept/);
});
