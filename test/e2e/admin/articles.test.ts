import test from 'ava';
import type { Locator } from 'playwright-core';
import { draftOf } from '../../../src/article/article.js';
import { gitIn } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { encode } from '../../support/plain-files.js';
import { writeFiles } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import type { Person } from './person.js';
import { sharedAdmin, testJobs } from './shared-admin.js';

/** One more than a page of the list has. */
const NOTES = 51;

/** An article that was there before the receiver. */
function note(n: number, origin: string): Record<string, string> {
  const slug = `field-note-${n}`;
  const data = article({
    ...{ id: `note-${n}`, slug, title: `Field note ${n}`, featured_image_url: null },
    published_at: new Date(Date.UTC(2026, 0, n)).toISOString(),
    tags: n === 7 ? ['moss'] : ['soil'],
    author: n === 7 ? 'Ida Fern' : 'Marta Oak',
  });
  const url = `${origin}/articles/${slug}/`;
  return { [`content/articles/${slug}.md`]: encode({ ...draftOf(data), url, updated: null }).text };
}

const site = sharedAdmin(test, (dir, origin) => {
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  for (let n = 1; n <= NOTES; n++) writeFiles(dir, note(n, origin));
  return {};
});

/** Goes to the page of an article by the list. */
async function findArticle(person: Person, title: string): Promise<void> {
  await person.goTo('Articles');
  await person.search(title);
  await person.follow(title);
}

/** The titles in a list. */
const titlesOn = ({ page }: Person) => page.locator('table.list a.name').allInnerTexts();

/** The state that the page of an article has. */
const stateOn = async ({ page }: Person) =>
  (await page.locator('dd .mark').first().innerText()).replace(/^\S+ /, '');

/** What a page says to have gone and to have come, in each of its comparisons. */
async function differencesOn({ page }: Person): Promise<{ gone: string; come: string }[]> {
  const texts = async (found: Locator) => (await found.allInnerTexts()).join('');
  const all = await page.locator('.diff').all();
  return Promise.all(
    all.map(async (one) => ({
      gone: await texts(one.locator('del')),
      come: await texts(one.locator('ins')),
    })),
  );
}

testJobs(
  test,
  site,
  {
    'articles are found by words, tag, author, state and whose text they are, sorted and paged': async ({
      t,
      ada,
    }) => {
      await ada.goTo('Articles');
      await ada.search('field note');
      await ada.sees(`${NOTES} articles`);
      t.is((await titlesOn(ada)).length, NOTES - 1);
      await ada.follow('Next');
      await ada.sees('Page 2 of 2');
      t.deepEqual(await titlesOn(ada), ['Field note 1']);
      await ada.choose('Order', 'Oldest first');
      await ada.press('Search');
      t.is((await titlesOn(ada))[0], 'Field note 1');
      await ada.write('Tag', 'Moss');
      await ada.write('Author', 'ida fern');
      await ada.choose('State', 'Live');
      await ada.choose('Written by', 'The service only');
      await ada.press('Search');
      t.deepEqual(await titlesOn(ada), ['Field note 7']);
      await ada.choose('State', 'Held');
      await ada.press('Search');
      await ada.sees('No article matches.');
    },

    'an article is edited, seen in the site’s theme before it is saved, and committed by who has edited it':
      async ({ t, site, ada, way }) => {
        const { title, url } = await site.publish(`Of moss, ${way}`);
        await findArticle(ada, title);
        await ada.follow('Edit');
        await ada.write('Title', `Of lichen, ${way}`);
        await ada.write('Tags, one on each line', 'lichen\nstone');
        await ada.write('Text (Markdown)', 'It grows *slowly*.');
        await ada.press('Preview');
        const preview = ada.page.frameLocator('iframe[title=Preview]');
        t.is(await preview.getByRole('heading', { level: 1 }).innerText(), `Of lichen, ${way}`);
        await preview.locator('footer.site').waitFor(); // the theme's
        t.is((await site.find(url)).title, title, 'nothing is saved yet');
        await ada.press('Save');
        await ada.sees('Saved. The page follows.');
        const { title: saved, content_html } = await site.find(url);
        t.is(saved, `Of lichen, ${way}`);
        t.regex(content_html, /It grows <em>slowly<\/em>/);
        await until('the edit is committed', () =>
          gitIn(site.dir, 'log', '--format=%an: %s', '-5').includes(`Ada Finch: Edit: Of lichen, ${way}\n`),
        );
      },
  },
  {
    'an article is held, shown, scheduled, and expires': async ({ t, site, ada, way }) => {
      const { title } = await site.publish(`Now and then, ${way}`);
      await findArticle(ada, title);
      t.is(await stateOn(ada), 'Live');
      await ada.press('Hold: show it nowhere');
      await ada.sees('The article is held.');
      t.is(await stateOn(ada), 'Held');
      await ada.press('Show it now');
      await ada.sees('The article is shown.');
      t.is(await stateOn(ada), 'Live');
      await ada.write('Date and time (UTC)', '01/02/2099 08:30 AM');
      await ada.press('Schedule');
      await ada.sees('The article is scheduled.');
      t.is(await stateOn(ada), 'Scheduled');
      const shown = ada.page.locator('dd time').first();
      t.is(await shown.getAttribute('datetime'), '2099-01-02T08:30:00.000Z', 'in the site’s time zone');
      await ada.press('Let it expire');
      await ada.sees('The article has expired: it is not shown any more.');
      t.is(await stateOn(ada), 'Expired');
    },

    'where a delivery came in between, both texts are shown, and nothing is overwritten before somebody says so':
      async ({ t, site, ada, way }) => {
        const published = await site.publish(`Two at once, ${way}`);
        const { url } = published;
        await findArticle(ada, published.title);
        await ada.follow('Edit');
        await ada.write('Text (Markdown)', 'Ada’s own words.');
        await site.rewrite(published, 'The words of the service.');
        await ada.press('Save');
        await ada.sees('Nothing was overwritten');
        const [theirs, mine] = await differencesOn(ada);
        t.regex(theirs?.come ?? '', /The words of the service/);
        t.regex(mine?.come ?? '', /Ada’s own words/);
        t.regex((await site.find(url)).content_html, /The words of the service/);
        t.is(await ada.valueOf('Text (Markdown)'), 'Ada’s own words.');
        await ada.press('Replace it with my text');
        await ada.sees('Saved. The page follows.');
        t.regex((await site.find(url)).content_html, /Ada’s own words/);
      },

    'an article is moved to the trash, stays there when it is delivered again, and is restored': async ({
      t,
      site,
      ada,
      way,
    }) => {
      const { id, title, url } = await site.publish(`Thrown away, ${way}`);
      await findArticle(ada, title);
      await ada.write('Redirect visitors of its URL to (an address of this site, or empty)', '/elsewhere/');
      await ada.press('Move to the trash');
      await ada.sees('The article is in the trash.');
      await ada.sees('/elsewhere/');
      await site.publish(title, { id });
      await ada.goTo('Articles');
      await ada.search(title);
      await ada.sees('No article matches.');
      await ada.follow('Trash');
      await ada.press('Restore', title);
      await ada.sees('The article is back.');
      t.is((await site.find(url)).id, id);
    },

    'an article is written, and not shown at first': async ({ t, site, ada, way }) => {
      await ada.goTo('Articles');
      await ada.follow('Write an article');
      await ada.write('Title', `Written here, ${way}`);
      await ada.write('Text (Markdown)', 'From nothing.');
      await ada.tick('and do not show it yet');
      await ada.press('Publish');
      await ada.sees('The article is stored.');
      t.is(await stateOn(ada), 'Held');
      await ada.press('Show it now');
      await ada.sees('The article is shown.');
      const path = `/articles/written-here-${way.replaceAll(' ', '-').toLowerCase()}/`;
      t.regex((await site.find(`${site.origin}${path}`)).content_html, /From nothing/);
    },

    'earlier versions are listed, compared and put back': async ({ t, site, ada, way }) => {
      const published = await site.publish(`Once more, ${way}`, {
        content_markdown: 'The first words.',
        content_html: '<p>The first words.</p>',
      });
      await site.rewrite(published, 'The second words.');
      await until('both are committed', () =>
        gitIn(site.dir, 'log', '--format=%s', '-5').includes(`Update: ${published.title}\n`),
      );
      await findArticle(ada, published.title);
      await ada.reloadsUntil('Differences'); // where git takes its time, the page comes without them
      await ada.follow('Differences');
      const [difference] = await differencesOn(ada);
      t.regex(difference?.gone ?? '', /The first words/);
      t.regex(difference?.come ?? '', /The second words/);
      await ada.follow(published.title);
      await ada.press('Put it back');
      await ada.sees('The earlier version is back.');
      t.regex((await site.find(published.url)).content_html, /The first words/);
    },
  },
);
