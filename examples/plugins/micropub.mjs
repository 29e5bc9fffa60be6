// Takes posts from Micropub clients (https://www.w3.org/TR/micropub/). docs/services.md says how to connect them.
import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { definePlugin, fieldsOf, formIn, sameSecret } from 'pressmark';
import { articleOf, invalid, listsIn, propertiesIn, propertiesOf, refusal } from './_micropub.mjs';

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
    const actions = { create: created, update: updated, delete: deleted, undelete: restored };

    host.addFilter('article.frontMatter', (frontMatter, { source }) =>
      source?.micropub === undefined ? frontMatter : { ...frontMatter, micropub: source.micropub },
    );
    host.adapter({
      path: '/micropub',
      subpaths: true,
      methods: ['GET', 'POST'],
      maxBytes: 10_000_000,
      verify: (request) => scopesOf(request) !== undefined,
      async parse(request) {
        return (await formIn(request)) ?? (request.body.length > 0 ? JSON.parse(request.body) : {});
      },
      async receive(payload, request) {
        const scopes = scopesOf(request);
        const need = (...any) => {
          if (scopes.length > 0 && !any.some((scope) => scopes.includes(scope)))
            throw refusal(401, 'insufficient_scope', `the token has no scope ${any[0]}`);
        };
        if (request.method === 'GET') return queried(fieldsOf(request.query), request.headers);
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

    function scopesOf({ headers: { authorization, 'content-type': type }, body }) {
      const isForm = /^application\/x-www-form-urlencoded/i.test(type);
      const inBody = isForm ? new URLSearchParams(body.toString()).get('access_token') : null;
      if (inBody !== null && authorization !== undefined)
        throw refusal(400, 'bad request', 'the token is in the header and in the body');
      const given = inBody ?? authorization?.replace(/^bearer +/i, '');
      const found = tokens.find(([token]) => sameSecret(given, token));
      if (found === undefined) throw refusal(401, 'unauthorized', 'there is no such token');
      return found.slice(1);
    }

    async function queried({ q, url, properties: names, limit = 20 }, headers) {
      const origin = `${headers['x-forwarded-proto'] ?? 'http'}://${headers.host}`;
      const config = { 'media-endpoint': `${origin}/micropub/media`, 'syndicate-to': [] };
      if (q === undefined) return answer(200, {});
      if (q === 'config') return answer(200, { ...config, q: ['config', 'source', 'syndicate-to'] });
      if (q === 'syndicate-to') return answer(200, { 'syndicate-to': [] });
      if (q !== 'source') throw invalid(`there is no query ${q}`);
      const type = ['h-entry'];
      if (url === undefined) {
        const own = (await articles.list({ limit: 1_000 })).filter(({ id }) => id.startsWith('micropub-'));
        const items = own
          .slice(0, Number(limit))
          .map((article) => ({ type, properties: propertiesOf(article) }));
        return answer(200, { items });
      }
      const properties = propertiesOf(await articleAt(url));
      if (names === undefined) return answer(200, { type, properties });
      const asked = [names].flat().filter((name) => Object.hasOwn(properties, name));
      return answer(200, { properties: Object.fromEntries(asked.map((name) => [name, properties[name]])) });
    }

    /** What is sent again within ten minutes, as its answer was lost, is the same post. */
    async function created(payload) {
      const properties = await propertiesIn(payload, stored);
      const key = `sent ${createHash('sha256').update(JSON.stringify(properties)).digest('hex')}`;
      const before = await storage.get(key);
      const there = before && (await articles.get(before));
      const draft = articleOf(properties);
      if (there && (there.state !== 'held' || draft.state === 'held'))
        return answer(201, {}, location(there));
      const id = there || !before ? `micropub-${randomUUID()}` : before;
      await storage.set(key, id, { ttlMs: 600_000 });
      return answer(201, {}, location(await articles.receive({ ...draft, id })));
    }

    async function updated({ url, replace = {}, add = {}, delete: removed = [] }) {
      const article = await articleAt(url);
      const properties = new Map(Object.entries(propertiesOf(article)));
      const valuesOf = (name) => properties.get(name) ?? [];
      for (const [name, values] of listsIn(replace)) properties.set(name, values);
      for (const [name, values] of listsIn(add)) properties.set(name, [...valuesOf(name), ...values]);
      if (Array.isArray(removed)) for (const name of removed) properties.delete(name);
      else
        for (const [name, values] of listsIn(removed))
          properties.set(
            name,
            valuesOf(name).filter((one) => !values.some((other) => isDeepStrictEqual(one, other))),
          );
      const next = articleOf(Object.fromEntries(properties));
      await articles.receive({ ...next, id: article.id, base: article.revision });
      if (['published', 'post-status'].some((name) => Object.hasOwn(Object(replace), name)))
        await show(article, next.state, next.date);
      return answer(200, {});
    }

    async function deleted({ url }) {
      return show(await articleAt(url), 'held');
    }

    async function restored({ url }) {
      const article = await articleAt(url);
      return show(article, 'live', article.date);
    }

    async function show({ id }, state, date) {
      if (state === 'held') await articles.setState(id, 'held');
      else await articles.setState(id, Date.parse(date) > Date.now() ? 'scheduled' : 'live', date);
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
