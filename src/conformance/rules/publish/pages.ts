import { shown } from '../../../sender/delivery/answer-checks.js';
import { expectThat, NotChecked } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';

const LIST = `
# article.published; needs publish-accepted publish-url
221 page-200: The article’s public URL is answered 200 after a while.
  Build the page at the URL that you answer; if that takes longer, raise --public-wait.
222 page-body (Article; needs page-200): The page shows content_html as HTML.
  Put content_html into the page without escaping it.

# Body additions; needs page-body
223 page-item-comment (needs content-item-comment): The page holds the item comment.
  Keep HTML comments when you minify: the service recognises the article by the item comment.
224 page-tracking: The page holds the view-tracking markup of the body.
  Do not filter images and scripts out of content_html.
225 page-json-ld (Article): The page holds json_ld, verbatim.
226 page-json-ld-in-head (Article; needs page-json-ld): json_ld is in the page’s head.
  Put json_ld into the page’s head verbatim; do not parse, escape or minify it.

# article.updated, 5; V2; needs page-body update-200
227 page-update: After an update the page at the same URL shows the new content.
  Rebuild the page after an update, and clear caches.
228 page-update-replaces (needs page-update): After an update the old content is gone from the page.
  Replace the whole body.
229 page-update-item-comment (Body additions; needs page-update page-item-comment): After an update the page still holds the item comment.
  Keep HTML comments when you minify: the service recognises the article by the item comment.
230 page-update-json-ld (Article; needs page-update page-json-ld-in-head): After an update the page’s head holds the update’s json_ld.
  An update replaces json_ld too. Put json_ld into the page’s head verbatim; do not parse, escape or minify it.
231 page-image-kept (Article; needs page-update): After an update whose image is null the page still shows the previous image.
  Null keeps the image: never clear it.
`;

const TRACKING = '<img src="https://count.example/1.gif" width="1" height="1" alt="" data-view="1">';

/** The article whose page is checked. */
const article = (session: Session) =>
  session.stored('page', (id, comment) => ({
    content_html: `<h2>A trial</h2>\n<p>The page of <code>${id}</code>.</p>\n${TRACKING}\n${comment}`,
  }));

/** Publishes the article, and waits until its page shows it. */
function published(session: Session): Promise<{ html: string; id: string; jsonLd: string }> {
  return session.once('page published', async () => {
    const { data, url } = await article(session);
    const page = await session.page(url(), (html) => html.includes(`<code>${data.id}</code>`));
    return { html: page.html, id: data.id, jsonLd: data.json_ld };
  });
}

/** Updates the article without an image, and waits until its page shows the update. */
function updated(session: Session) {
  return session.once('page updated', async () => {
    const before = await published(session);
    const url = (await article(session)).url();
    const id = session.id('draft');
    const update = session.update(id, await session.lookup(url), {
      content_html: `<h2>Rewritten</h2>\n<p>The page as <code>${id}</code>.</p>\n${session.comment(before.id)}`,
      featured_image_url: null,
    });
    await session.send('article.updated', update);
    const page = await session.page(url, (html) => html.includes(`<code>${id}</code>`));
    return { before, html: page.html, update };
  });
}

const holds = (html: string, part: string) =>
  expectThat(html.includes(part), `${shown(part)} in the page`, `${html.length} characters without it`);

/** Expects a text in the head of a page, in linear time, as a page may be of any length. */
export function expectInHead(html: string, part: string): void {
  const start = html.search(/<head[\s>]/i);
  const length = html.slice(start).search(/<\/head>/i);
  const head = start === -1 || length === -1 ? '' : html.slice(start, start + length);
  expectThat(
    head.includes(part),
    `${shown(part)} before </head>`,
    html.includes(part) ? 'it after the head' : 'a page without it',
  );
}

/** The page that readers get; checked with `--public` (contract: Body additions; Article, json_ld). */
export const PAGE_RULES = rules(LIST, {
  'page-200': async (session) => {
    const page = await session.page((await article(session)).url(), () => true);
    expectThat(page.status === 200, 'status 200', page.fault ?? `status ${page.status}`);
  },
  'page-body': async (session) => {
    const { html, id } = await published(session);
    holds(html, `<code>${id}</code>`);
  },
  'page-item-comment': async (session) => {
    const { html, id } = await published(session);
    holds(html, session.comment(id));
  },
  'page-tracking': async (session) => holds((await published(session)).html, 'https://count.example/1.gif'),
  'page-json-ld': async (session) => {
    const { html, jsonLd } = await published(session);
    holds(html, jsonLd);
  },
  'page-json-ld-in-head': async (session) => {
    const { html, jsonLd } = await published(session);
    expectInHead(html, jsonLd);
  },
  'page-update': async (session) => {
    const { html, update } = await updated(session);
    holds(html, `<code>${update.id}</code>`);
  },
  'page-update-replaces': async (session) => {
    const { html, before } = await updated(session);
    const old = `<code>${before.id}</code>`;
    expectThat(!html.includes(old), `a page without ${shown(old)}`, 'a page with it');
  },
  'page-update-item-comment': async (session) => {
    const { html, before } = await updated(session);
    holds(html, session.comment(before.id));
  },
  'page-update-json-ld': async (session) => {
    const { html, update } = await updated(session);
    expectInHead(html, update.json_ld);
  },
  'page-image-kept': async (session) => {
    const { html, before } = await updated(session);
    const image = session.article('').featured_image_url ?? '';
    if (!before.html.includes(image)) throw new NotChecked('the page showed no image before the update');
    holds(html, image);
  },
});
