import fs from 'node:fs';
import test from 'ava';
import { launchMachine, makeRemote } from '../../../support/clones.js';
import { fileOfSoon } from '../../../support/content.js';
import { article } from '../../../support/events.js';
import { tempDir } from '../../../support/temp-dir.js';

test('200: a machine whose power failed while git wrote its files has every article again after the start', async (t) => {
  const dir = makeRemote(tempDir(t)).clone('a');
  const before = await launchMachine(dir);
  t.teardown(() => before.kill('SIGKILL'));
  const data = article();
  const { url } = (await before.post('article.published', data)).json;
  const path = await fileOfSoon(dir, data.id);
  await before.kill('SIGKILL');
  const whole = fs.readFileSync(path, 'utf8');
  fs.writeFileSync(path, '');

  const after = await launchMachine(dir);
  t.teardown(() => after.kill('SIGKILL'));
  const answer = await after.post('article.lookup', { target_url: url });
  t.is(answer.status, 200, answer.text);
  t.is(answer.json.target.content_html, data.content_html);
  t.is(fs.readFileSync(path, 'utf8'), whole);
});
