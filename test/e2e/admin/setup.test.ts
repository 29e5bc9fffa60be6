import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { addUser } from '../../support/admin.js';
import { article, testData } from '../../support/events.js';
import { SECRET } from '../../support/signer.js';
import type { Person } from './person.js';
import { sharedAdmin, testJobs } from './shared-admin.js';

const site = sharedAdmin(
  test,
  (dir) => {
    fs.writeFileSync(join(dir, '.env'), `PRESSMARK_SECRET=${SECRET}\n`);
    return { git: false };
  },
  { env: { PRESSMARK_SECRET: '' } },
);

// Somebody with a password must stay an admin.
test.serial.before(() => addUser(site().dir, 'The owner', 'a hive of twelve bees', 'admin'));

/** The secret that counts: each way of doing has another one made. */
let live = SECRET;

testJobs(test, site, {
  'the service is connected, and its secret replaced by one that is shown once; the old one goes on': async ({
    t,
    site,
    ada,
  }) => {
    await site.post('webhook.test', testData(), { secret: live });
    await ada.goTo('Setup');
    t.is(await ada.valueOf('URL of the webhook'), `${site.origin}/webhook`);
    await ada.reloadsUntil('Connected; last test');
    await ada.sees(`…${live.slice(-4)}`);
    await ada.press('Replace the secret');
    const made = await ada.valueOf('Copy the new secret now: it is not shown again');
    t.true(made.length >= 32);
    for (const secret of [live, made])
      t.is((await site.post('article.published', article(), { secret })).status, 200);
    live = made;
    await ada.goTo('Setup');
    await ada.sees('The previous secret');
    t.false((await ada.page.content()).includes(made));
  },

  'somebody is added by a link, sets a password, logs in and out, changes the password, and is removed':
    async ({ t, ada, stranger }) => {
      const titleOf = ({ page }: Person) => page.getByRole('heading', { level: 1 }).innerText();
      await ada.goTo('Users');
      await ada.write('Name', 'Grace Hopper');
      await ada.choose('Role', 'Editor');
      await ada.press('Add a user');
      const link = new URL(await ada.valueOf('Copy this link and hand it over'));
      const grace = await stranger(`welcome${link.search}`);
      await grace.sees('Welcome, Grace Hopper.');
      await grace.write('New password', 'a hive of twelve bees');
      await grace.write('New password again', 'a hive of twelve bees');
      await grace.press('Set the password');
      t.is(await titleOf(grace), 'Overview');
      t.is(await grace.page.getByRole('link', { name: 'Users' }).count(), 0, 'an editor');

      await ada.goTo('Users');
      await ada.choose('Role of Grace Hopper', 'Admin');
      await ada.press('Change the role of Grace Hopper');
      await ada.sees('Grace Hopper is changed.');
      await grace.goTo('Articles');
      await grace.goTo('Users');

      await grace.follow('Logged in as Grace Hopper');
      await grace.choose('Language', 'Deutsch');
      await grace.press('Save');
      await grace.sees('Gespeichert.');
      await grace.choose('Sprache', 'English');
      await grace.press('Speichern');
      await grace.write('Current password', 'a hive of twelve bees');
      await grace.write('New password', 'a hive of thirteen bees');
      await grace.write('New password again', 'a hive of thirteen bees');
      await grace.press('Change the password');
      await grace.sees('The password is changed.');
      await grace.press('Log out');
      await grace.write('Name', 'grace hopper');
      await grace.write('Password', 'a hive of twelve bees');
      await grace.press('Log in');
      await grace.sees('Name or password is wrong.');
      await grace.write('Password', 'a hive of thirteen bees');
      await grace.press('Log in');
      t.is(await titleOf(grace), 'Overview');
      await grace.press('Log out');
      t.is(await titleOf(grace), 'Log in');

      await ada.goTo('Users');
      await ada.press('Remove Grace Hopper');
      await ada.sees('Grace Hopper is removed and logged out.');
      await ada.follow('What was done');
      await ada.sees('users:remove');
    },
});
