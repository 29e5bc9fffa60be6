import fs from 'node:fs';
import test from 'ava';
import { inClone, makeRemote } from '../../../support/clones.js';
import { fileOfSoon } from '../../../support/content.js';
import { article } from '../../../support/events.js';
import { startHere } from '../../../support/receiver-here.js';
import { tempDir } from '../../../support/temp-dir.js';

test('200: a machine whose power failed while git wrote its files has every article again after the start', async (t) => {
  const dir = makeRemote(tempDir(t)).clone('a');
  const before = await startHere(t, { ...inClone(dir), resend: true });
  const data = article();
  const { url } = (await before.post('article.published', data)).json;
  const path = await fileOfSoon(dir, data.id);
  await before.close();
  const whole = fs.readFileSync(path, 'utf8');
  fs.writeFileSync(path, '');

  const after = await startHere(t, { ...inClone(dir), resend: true });
  const answer = await after.post('article.lookup', { target_url: url });
  t.is(answer.status, 200, answer.text);
  t.is(answer.json.target.content_html, data.content_html);
  t.is(fs.readFileSync(path, 'utf8'), whole);
});
