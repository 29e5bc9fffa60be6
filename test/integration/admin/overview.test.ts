import test from 'ava';
import { adminOf } from '../../support/admin.js';
import { publishForUpdate } from '../../support/client.js';
import { article } from '../../support/events.js';
import { sharedHere } from '../../support/receiver-here.js';
import { until } from '../../support/until.js';

const receiver = sharedHere(test, { storeOnly: true });

test('the overview shows what came last, and what doctor has found when somebody asks for it', async (t) => {
  const here = receiver();
  const now = new Date().toISOString();
  const first = article({ id: 'first', title: 'On the hive', published_at: now });
  const { request } = await publishForUpdate(here, first, { published_at: now });
  const admin = await adminOf(here, { role: 'editor' });
  const shows = (pattern: RegExp) =>
    until(String(pattern), async () => pattern.test((await admin.get('')).text));
  await shows(/article\.published(?:<\/a>)? <code class="muted">first/);
  await shows(/<a href="\/-\/admin\/articles\/article\?id=first">On the hive<\/a>/);
  await shows(/1 article in the last 30 days/);
  t.is((await here.post('article.updated', request)).status, 200);
  await here.post(
    'article.published',
    article({ id: 'older', slug: 'older', published_at: '2020-01-02T03:04:05Z' }),
  );
  await shows(/article\.published(?:<\/a>)? <code class="muted">older/);
  await shows(/1 article in the last 30 days/);
  // What another process looks at is not waited for: the first question begins it.
  await shows(/Checked <time/);
  await shows(/switched off in the config|What to do:|Nothing needs you/);
  t.is((await admin.post('', { do: 'doctor' })).status, 303);
  await shows(/Checked <time/);
});
