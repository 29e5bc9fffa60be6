// Takes posts from Micropub clients (https://www.w3.org/TR/micropub/). docs/services.md says how to connect them.
import { hash } from 'node:crypto';
import { definePlugin, fieldsOf, formIn } from 'pressmark';
import {
  articleOf,
  invalid,
  originOf,
  propertiesIn,
  propertiesOf,
  refusal,
  scopesOf,
  withChanges,
} from './_micropub.mjs';

// Several tokens are separated by commas. Behind a token are its scopes: create, update, delete, media; none for all of them.
const SECRET = 'MICROPUB_TOKENS';

export default definePlugin({
  name: 'micropub',
  version: '1.0.0',
  secrets: [SECRET],
  receiver(host) {
    const { articles, assets, storage, answer } = host;
    const tokens = host.secrets[SECRET].split(',').map((one) => one.trim().split(/\s+/));
    if (tokens.some(([token]) => token === '')) throw new Error(`${SECRET} has an empty token`);
    const actions = { create, update, delete: remove, undelete: restore };

    host.addFilter('article.frontMatter', (frontMatter, { source }) =>
      source?.micropub === undefined ? frontMatter : { ...frontMatter, micropub: source.micropub },
    );
    host.adapter({
      path: '/micropub',
      subpaths: true,
      methods: ['GET', 'POST'],
      maxBytes: 10_000_000,
      verify: (request) => scopesOf(request, tokens) !== undefined,
      async parse(request) {
        return (await formIn(request)) ?? (request.body.length > 0 ? JSON.parse(request.body) : {});
      },
      async receive(payload, request) {
        const scopes = scopesOf(request, tokens);
        const need = (...any) => {
          if (scopes.length > 0 && !any.some((scope) => scopes.includes(scope)))
            throw refusal(401, 'insufficient_scope', `the token has no scope ${any[0]}`);
        };
        if (request.method === 'GET') return query(fieldsOf(request.query), request.headers, need);
        if (/\/media\/?$/.test(request.path)) {
          need('media', 'create');
          return answer(201, {}, { Location: await stored(Object(payload).file) });
        }
        const { action = 'create' } = Object(payload);
        if (!Object.hasOwn(actions, action)) throw invalid(`there is no action ${action}`);
        need(action === 'undelete' ? 'delete' : action);
        return actions[action](Object(payload));
      },
      errorBody({ status, code, message }) {
        const error = /[a-z]/.test(code) ? code : status === 400 ? 'invalid_request' : code.toLowerCase();
        return { error, error_description: message };
      },
    });

    async function query({ q, url, properties: names, limit = 20 }, headers, need) {
      const config = { 'media-endpoint': `${originOf(headers)}/micropub/media`, 'syndicate-to': [] };
      if (q === undefined) return answer(200, {});
      if (q === 'config') return answer(200, { ...config, q: ['config', 'source', 'syndicate-to'] });
      if (q === 'syndicate-to') return answer(200, { 'syndicate-to': [] });
      if (q !== 'source') throw invalid(`there is no query ${q}`);
      need('update', 'create'); // it has the drafts, too
      const type = ['h-entry'];
      if (url === undefined) {
        const posts = (await articles.list({ limit: 1_000 })).filter(({ id }) => id.startsWith('micropub-'));
        const entryOf = (article) => ({ type, properties: propertiesOf(article) });
        return answer(200, { items: posts.slice(0, Number(limit)).map(entryOf) });
      }
      const properties = propertiesOf(await articleAt(url));
      if (names === undefined) return answer(200, { type, properties });
      const asked = [names].flat().filter((name) => Object.hasOwn(properties, name));
      return answer(200, { properties: Object.fromEntries(asked.map((name) => [name, properties[name]])) });
    }

    /** What is sent again within ten minutes, as its answer was lost, is the same post; so is what is sent twice at once. */
    async function create(payload) {
      const properties = await propertiesIn(payload, stored);
      const text = JSON.stringify(properties);
      const key = `sent ${hash('sha256', text)}`;
      const before = await storage.get(key);
      const there = before && (await articles.get(before));
      const draft = articleOf(properties);
      if (there && (there.state !== 'held' || draft.state === 'held'))
        return answer(201, {}, location(there));
      const next = hash('sha256', `${text} ${before} ${Math.floor(Date.now() / 600_000)}`).slice(0, 32);
      const id = there || !before ? `micropub-${next}` : before;
      await storage.set(key, id, { ttlMs: 600_000 });
      const received = await articles.receive({ ...draft, id });
      if (received.outcome === 'deleted') throw refusal(410, 'deleted', 'the owner has deleted this post');
      return answer(201, {}, location(received));
    }

    async function update({ url, ...changes }) {
      const article = await articleAt(url);
      const next = articleOf(withChanges(propertiesOf(article), changes));
      await articles.receive({ ...next, id: article.id, base: article.revision });
      if (['published', 'post-status'].some((name) => Object.hasOwn(Object(changes.replace), name)))
        await show(article, next.state, next.date);
      return answer(200, {});
    }

    async function remove({ url }) {
      const { id, state } = await articleAt(url);
      if ((await storage.get(`deleted ${id}`)) === undefined) await storage.set(`deleted ${id}`, state);
      await articles.setState(id, 'held');
      return answer(200, {});
    }

    async function restore({ url }) {
      const article = await articleAt(url);
      const state = await storage.get(`deleted ${article.id}`);
      if (state === undefined) throw invalid('this post was not deleted');
      return show(article, state, article.date);
    }

    async function show({ id }, state, date) {
      if (state === 'held') await articles.setState(id, 'held');
      else await articles.setState(id, Date.parse(date) > Date.now() ? 'scheduled' : 'live', date);
      await storage.delete(`deleted ${id}`);
      return answer(200, {});
    }

    async function articleAt(url) {
      const article = await articles.find(String(url));
      if (article === undefined) throw invalid(`there is no post at ${url}`);
      if (!article.id.startsWith('micropub-'))
        throw refusal(403, 'forbidden', 'this did not come by Micropub');
      return article;
    }

    async function stored(file) {
      if (!(file instanceof Blob)) throw invalid('there is no file');
      return (await assets.put(new Uint8Array(await file.arrayBuffer()))).url;
    }
  },
});

const location = ({ url }) => ({ Location: new URL(url).href });
