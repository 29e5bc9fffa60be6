import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { SENDER_RULES } from '../../../src/conformance/sender/rules/all.js';
import { reply, startEndpoint } from '../../support/endpoint.js';
import { runHere } from '../../support/in-process.js';
import { PROGRAM } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';

test('check-sender has a command take the steps of any sender, and judges what it sends', async (t) => {
  const dir = tempDir(t);
  const program = `"${process.execPath}" "${PROGRAM}"`;
  const script = `cd ${dir} || exit 1
case $1 in
  connect) PRESSMARK_SECRET=$3 ${program} connect trial "$2" ;;
  publish) mkdir posts || exit 1; for n in $(seq "$2"); do printf -- '---\\ntitle: T\\n---\\nText.\\n' > posts/$n.md; done
           ${program} publish posts ;;
  *) exit 1 ;;
esac
`;
  fs.writeFileSync(join(dir, 'drive.sh'), script);
  const html = join(dir, 'report.html');
  const only = ['--only', 'signature,accepted-is-final,test-on-connect,refresh-order', '--clock', '100'];
  const place = ['--port', '0', '--json', '--html', html];
  const ended = await runHere(['check-sender', '--run', `sh ${join(dir, 'drive.sh')}`, ...only, ...place]);
  t.is(ended.code, 0, ended.stderr);
  const { rules } = JSON.parse(ended.stdout) as { rules: { id: string; result: string; why?: string }[] };
  t.deepEqual(
    rules.map(({ id, result, why }) => [id, result, why]),
    [
      ['signature', 'passed', undefined],
      ['accepted-is-final', 'passed', undefined],
      ['test-on-connect', 'passed', undefined],
      ['refresh-order', 'not checked', 'the command for refresh ended with 1'],
    ],
    ended.stderr,
  );
  t.regex(fs.readFileSync(html, 'utf8'), /<title>Sender: The sender that was pointed here<\/title>/);
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

test('work --clock sends what will be due by then, and nothing that will not', async (t) => {
  let status = 503;
  const { url, got } = await startEndpoint(t, (one, response) => reply(status)(one, response));
  const dir = tempDir(t);
  const sender = (...words: string[]) => runHere([...words, '--dir', dir], { PRESSMARK_SECRET: SECRET });
  fs.writeFileSync(join(dir, 'bees.md'), '---\ntitle: Bees\n---\nText.\n');
  status = 200;
  await sender('connect', 'garden', url);
  status = 503;
  await sender('publish', join(dir, 'bees.md'));
  t.is(got.length, 2);
  status = 200;
  t.is((await sender('work', '--once')).code, 0);
  t.is(got.length, 2, 'it is due in a minute');
  t.is((await sender('work', '--once', '--clock', '5m')).code, 0);
  t.is(got.length, 3);
});
