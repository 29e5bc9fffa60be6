// Takes posts from tools that publish to WordPress by its REST API. docs/services.md says how to connect them.
import { hash, randomInt } from 'node:crypto';
import { definePlugin, localTime, momentIn, refusal } from 'pressmark';

const SECRET = 'WORDPRESS_APPLICATION_PASSWORDS'; // name:password, several separated by commas
const SHOWN = ['publish', 'future'];
const HIDDEN = ['draft', 'pending', 'private', 'trash'];

export default definePlugin({
  name: 'wordpress-rest',
  version: '1.0.0',
  secrets: [SECRET],
  receiver({ articles, assets, storage, site, adapter, answer }) {
    adapter({
      path: '/wp-json',
      verify: () => true, // tools look for the API before they log in
      routes: {
        'GET /'(_, { origin }) {
          const Link = `<${origin}/wp-json/>; rel="https://api.w.org/"`;
          return answer(200, { name: site.url, url: site.url, namespaces: ['wp/v2'] }, { Link });
        },
      },
    });

    adapter({
      path: '/wp-json/wp/v2',
      auth: { kind: 'basic', secret: SECRET },
      maxBytes: 10_000_000,
      routes: {
        'GET /users/me': (_, { caller }) => ({ ...termOf(caller.name), roles: ['author'] }),
        'GET /posts/:id': (_, { params: { id } }) => articles.get(`wp-${id}`).then(postOf),
        'POST, PUT, PATCH /posts/:id': (given, { params: { id } }) => update(`wp-${id}`, given),
        async 'DELETE /posts/:id'(given, { params: { id }, query }) {
          const previous = postOf(await articles.get(`wp-${id}`));
          const post = await update(`wp-${id}`, { status: 'trash' });
          return /^(?:1|true)$/.test(given?.force ?? query.force) ? { deleted: true, previous } : post;
        },
        async 'POST /posts'(given, { caller: { name: author } }) {
          const id = `wp-${randomInt(2 ** 31)}`;
          const blank = { id, title: '', contentHtml: '<p></p>', tags: [], author, frontMatter: {} };
          const post = await changed(blank, { status: 'draft', ...given });
          // Some tools begin each post with the same empty draft.
          const once = given?.content && JSON.stringify([author, given]);
          const { id: known, outcome } = await articles.receive(post, { once });
          if (outcome === 'deleted') throw refusal(410, 'post_deleted', 'the owner has deleted this post');
          return answer(201, postOf(await articles.get(known)));
        },
        async 'POST /media'(form, { body }) {
          const { url, type } = await assets.put(form?.file ?? body);
          const file = { id: numberOf(url), source_url: url, link: url, mime_type: type };
          await storage.set(`media ${file.id}`, file);
          return answer(201, file);
        },
        'GET /media/:id': (_, { params: { id } }) => storage.get(`media ${id}`),
        ...termRoutes('categories'),
        ...termRoutes('tags'),
      },
      errorBody: ({ code, message, ...data }) => ({ code: `rest_${code.toLowerCase()}`, message, data }),
    });

    function termRoutes(kind) {
      return {
        [`GET /${kind}`]: async (_, { query: { page = '1' } }) =>
          page === '1' ? Object.values(await namesOf(kind)).map(termOf) : [],
        async [`POST /${kind}`](given) {
          const { id, name } = termOf(String(given?.name ?? '').trim());
          if (name === '') throw refusal(400, 'invalid_param', 'the name is empty');
          const names = await storage.update(kind, (before) => ({ [id]: name, ...before }));
          return answer(201, termOf(names[id]));
        },
      };
    }

    /** The categories or the tags, by their numbers. */
    const namesOf = async (kind) => (await storage.get(kind)) ?? {};

    async function update(id, given) {
      await articles.change(id, (before) => changed(before, given ?? {}));
      return postOf(await articles.get(id));
    }

    /** An article with what is given of a post; WordPress's own fields are in the front matter. */
    async function changed(before, given) {
      const kept = { categories: [], tags: [], ...before.frontMatter.wordpress };
      const next = { ...kept, status: given.status ?? kept.status };
      for (const kind of ['categories', 'tags'].filter((name) => given[name] !== undefined)) {
        const names = await namesOf(kind);
        const ids = String(given[kind]).split(',');
        next[kind] = ids.flatMap((id) => names[id] ?? []);
      }
      const file = await storage.get(`media ${given.featured_media}`);
      if (file !== undefined) next.featured_media = file.id;
      next.date = momentOf(site.timeZone, given.date) ?? momentOf('UTC', given.date_gmt) ?? kept.date;
      const isHidden = HIDDEN.includes(next.status);
      if (!isHidden && !SHOWN.includes(next.status)) throw refusal(400, 'invalid_param', 'no such status');
      // A draft gets its date when it is published, unless it was given one.
      const isNow = !isHidden && ['draft', 'pending'].includes(kept.status);
      const [html, excerpt] = [textIn(given.content), textIn(given.excerpt)];
      return {
        ...before,
        ...(html !== undefined && { contentHtml: html || '<p></p>', markdown: null }),
        title: textIn(given.title) ?? before.title,
        description: excerpt === undefined ? before.description : plain(excerpt).trim(),
        image: file?.source_url ?? before.image,
        tags: [...next.categories, ...next.tags],
        slug: given.slug,
        state: isHidden ? 'held' : 'live',
        date: next.date ?? (isNow ? new Date().toISOString() : before.date),
        frontMatter: { wordpress: next },
        source: { wordpress: given },
      };
    }

    function postOf(article) {
      if (article === undefined) return undefined;
      const { id, slug, url, date, title, body, description, extra } = article;
      const { categories = [], tags = [], featured_media = 0 } = extra.wordpress ?? {};
      return {
        id: Number(id.slice(3)),
        status: statusOf(article),
        slug,
        link: url,
        date: localTime(site.timeZone, date),
        date_gmt: localTime('UTC', date),
        title: { raw: title, rendered: title },
        content: { raw: body, rendered: body },
        excerpt: { raw: description, rendered: description },
        categories: categories.map(numberOf),
        tags: tags.map(numberOf),
        featured_media,
      };
    }
  },
});

/** A text may be sent as `{ raw }`. */
const textIn = (value) => value?.raw ?? value ?? undefined;
const plain = (html) => String(html).replace(/<[^<>]*>/g, '');

/** A malformed date stays: the host refuses it. */
const momentOf = (timeZone, text) => (text ? (momentIn(timeZone, String(text)) ?? text) : undefined);

/** The number by which WordPress knows a name, of 31 bits, as some tools have no room for more. */
const numberOf = (name) => hash('sha256', name.toLowerCase(), 'buffer').readUInt32BE() >>> 1;
const termOf = (name) => ({ id: numberOf(name), name, slug: name.toLowerCase().replace(/\s+/g, '-') });

function statusOf({ state, extra: { wordpress } }) {
  if (state === 'live' || state === 'scheduled') return state === 'live' ? 'publish' : 'future';
  return HIDDEN.includes(wordpress?.status) ? wordpress.status : 'draft';
}
