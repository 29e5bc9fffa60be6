import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { environment, filesIn, siteAt } from './site.js';

// A receiver that publishes without end and says so, until it is killed: node … <work tree> <round>
const [, , top = '', round = ''] = process.argv;
const site = siteAt(() => undefined, top, top, environment(join(dirname(top), 'home')));
const host = await site.start({
  articles: () =>
    filesIn(
      top,
      readdirSync(join(top, 'content')).map((name) => `content/${name}`),
    ),
});
void host.hooks.doAction('host.ready', { url: '' });
for (let index = 0; ; index++) {
  const id = `${round}-${index}`;
  await site.publish(id, {}, { path: `content/${id}.md` });
  process.stdout.write(`${id}\n`);
  await setTimeout(5);
}
