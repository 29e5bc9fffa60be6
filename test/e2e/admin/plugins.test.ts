import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';
import { sharedAdmin, testJobs } from './shared-admin.js';

/** A plugin that has everything. Its job fails. */
const DESK = `import fs from 'node:fs';
const jsonSchema = { type: 'object', properties: {
  limit: { type: 'integer', title: 'Limit', description: 'So many are greeted.' },
  names: { type: 'array', items: { type: 'string' }, title: 'Names' },
  mood: { enum: ['calm', 'merry'], default: 'calm', title: 'Mood' },
} };
const validate = (value) =>
  value.limit > 10 ? { issues: [{ message: 'must be at most 10', path: ['limit'] }] } : { value };
export default { name: 'desk', version: '1.2.3',
  options: { '~standard': { version: 1, vendor: 'mine', validate, jsonSchema: { input: () => jsonSchema } } },
  receiver(host) {
    host.admin.page({ path: 'queue', title: 'Queue', render: () => '<p>Nobody waits.</p>' });
    host.admin.widget({ title: 'At the desk', render: () => '<p>Seven letters.</p>' });
    host.admin.action({ name: 'greet', label: 'Greet', on: 'article', run: ({ article }) => 'Hello, ' + article });
    host.job('post', { on: 'article.published', run({ article }) {
      fs.appendFileSync(host.paths.site + '/attempts', article.id + ' ');
      throw new Error('the post office is closed');
    } });
  },
};`;

const site = sharedAdmin(test, (dir) => {
  withPlugins(dir, { desk: DESK });
  return { git: false };
});

testJobs(
  test,
  site,
  {
    'settings of a plugin are saved by its form, and what is wrong is marked': async ({ t, site, ada }) => {
      await ada.goTo('Plugins');
      await ada.follow('Settings');
      await ada.write('Limit', '70');
      await ada.write('Names', 'Ida\nBo');
      await ada.choose('Mood', 'merry');
      await ada.press('Save');
      await ada.sees('must be at most 10');
      t.is(await ada.valueOf('Names'), 'Ida\nBo');
      await ada.write('Limit', '7');
      await ada.press('Save');
      await ada.sees('Restart the receiver to use the settings.');
      const file = join(site.dir, 'pressmark.settings.json');
      const { plugins } = JSON.parse(fs.readFileSync(file, 'utf8'));
      t.deepEqual(plugins.desk, { limit: 7, names: ['Ida', 'Bo'], mood: 'merry' });
      fs.rmSync(file);
    },
  },
  {
    'a job that has failed is run again': async ({ t, site, ada }) => {
      const { id } = await site.publish('For the post');
      const attempts = () => fs.readFileSync(join(site.dir, 'attempts'), 'utf8').split(`${id} `).length;
      await ada.goTo('Plugins');
      await ada.reloadsUntil('the post office is closed', id);
      const before = attempts();
      await ada.press('Run again', id);
      await ada.sees('desk.post runs again.');
      await until('it has run', () => attempts() > before);
      t.pass();
    },

    'a page, a part of the overview and a button of a plugin are used': async ({ t, site, ada }) => {
      const { id, title } = await site.publish('Greeted');
      await ada.sees('Seven letters.');
      await ada.goTo('Queue');
      await ada.sees('Nobody waits.');
      await ada.goTo('Articles');
      await ada.search(id);
      await ada.follow(title);
      await ada.press('Greet');
      await ada.sees(`Greet: Hello, ${id}`);
      t.is(await ada.page.getByRole('heading', { level: 1 }).innerText(), title);
    },
  },
);
