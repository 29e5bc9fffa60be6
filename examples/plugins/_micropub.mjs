// How Micropub writes a post, and what an article is made of; for micropub.mjs, and no plugin itself.
import { isDeepStrictEqual } from 'node:util';
import { sameSecret } from 'pressmark';

export const refusal = (status, code, message) =>
  Object.assign(new Error(message), { status, code, expose: true });
/** The address that a request came to: HTTPS but on this machine, as a token must not travel in clear text. */
export const originOf = ({ host }) =>
  `${/^(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(host) ? 'http' : 'https'}://${host}`;

export const invalid = (message) => refusal(400, 'invalid_request', message);

function listsIn(properties) {
  const lists = Object.entries(properties ?? {});
  if (typeof properties !== 'object' || lists.some(([, values]) => !Array.isArray(values)))
    throw invalid('the values of a property must be a list');
  return lists;
}

/** What the token of a request may do. @throws where there is none, or the token is unknown. */
export function scopesOf({ headers: { authorization, 'content-type': type }, body }, tokens) {
  const isForm = /^application\/x-www-form-urlencoded/i.test(type);
  // It is not parsed before it is verified: it may be long.
  const [field] = (isForm && /(?<![^&])access_token=[^&]*/.exec(body.toString('latin1'))) || [];
  const inBody = new URLSearchParams(field).get('access_token');
  if (inBody !== null && authorization !== undefined)
    throw refusal(400, 'bad request', 'the token is in the header and in the body');
  const given = inBody ?? authorization?.replace(/^bearer +/i, '');
  const found = tokens.find(([token]) => sameSecret(given, token));
  if (found === undefined) throw refusal(401, 'unauthorized', 'there is no such token');
  return found.slice(1);
}

/** The properties of a post after an update. */
export function withChanges(before, { replace = {}, add = {}, delete: removed = [] }) {
  const properties = new Map(Object.entries(before));
  const valuesOf = (name) => properties.get(name) ?? [];
  for (const [name, values] of listsIn(replace)) properties.set(name, values);
  for (const [name, values] of listsIn(add)) properties.set(name, [...valuesOf(name), ...values]);
  if (Array.isArray(removed)) for (const name of removed) properties.delete(name);
  else
    for (const [name, values] of listsIn(removed)) {
      const isKept = (one) => !values.some((other) => isDeepStrictEqual(one, other));
      properties.set(name, valuesOf(name).filter(isKept));
    }
  return Object.fromEntries(properties);
}

/** The properties of a new post, sent as JSON or as a form. @param store what makes an address of a file. */
export async function propertiesIn(
  { type, properties, h = 'entry', action, access_token, ...fields },
  store,
) {
  if ((type ?? [`h-${h}`])[0] !== 'h-entry') throw invalid('only posts of the type h-entry are accepted');
  const lists = properties
    ? listsIn(properties)
    : Object.entries(fields).map(([name, value]) => [name, [value].flat()]);
  const kept = lists.map(async ([name, values]) => {
    const addresses = values.map((value) => (value instanceof Blob ? store(value) : value));
    return [name, await Promise.all(addresses)];
  });
  return Object.fromEntries(await Promise.all(kept));
}

/** An article of a post. What has no field of an article is kept in the front matter. */
export function articleOf({
  name,
  content,
  summary,
  category = [],
  published,
  'post-status': status,
  'mp-slug': slug,
  url,
  ...others
}) {
  const [given = ''] = content ?? [];
  const { html } = Object(given);
  if (typeof (html ?? given) !== 'string') throw invalid('content must be a text or { html }');
  const text = [html ?? given, photosOf(others, html !== undefined)].filter(Boolean).join('\n\n');
  const more = Object.entries(others).filter(([key]) => !key.startsWith('mp-'));
  return {
    title: name?.[0] ?? titleOf(html ?? given),
    contentHtml: html === undefined ? '' : text,
    markdown: html === undefined ? text : undefined,
    description: summary?.[0],
    tags: category,
    date: published?.[0],
    slug: slug?.[0],
    state: status?.[0] === 'draft' ? 'held' : 'live',
    source: { micropub: Object.fromEntries(more) },
  };
}

export function propertiesOf({ url, title, body, contentHtml, description, tags, date, state, extra }) {
  const more = extra.micropub ?? {};
  const isHtml = contentHtml === body;
  const photos = photosOf(more, isHtml);
  const whole = body.trimEnd();
  const text = photos !== '' && whole.endsWith(photos) ? whole.slice(0, -photos.length).trimEnd() : whole;
  return {
    url: [url],
    ...(title === titleOf(text) ? {} : { name: [title] }),
    content: [isHtml ? { html: text } : text],
    ...(description === '' ? {} : { summary: [description] }),
    category: tags,
    published: [date],
    'post-status': [state === 'held' ? 'draft' : 'published'],
    ...more,
  };
}

function photosOf({ photo = [] }, isHtml) {
  const photos = photo.map((one) => {
    const { value, alt } = typeof one === 'object' ? { alt: '', ...one } : { value: one, alt: '' };
    if (!URL.canParse(value) || !/^https?:/i.test(value)) throw invalid(`${value} is no address of a photo`);
    const words = String(alt).replace(/[&<>"[\]\\]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    return isHtml
      ? `<img src="${new URL(value).href.replaceAll('&', '&amp;')}" alt="${words}">`
      : `![${words}](<${new URL(value).href}>)`;
  });
  return photos.join('\n\n');
}

/** What a post without a name is called. */
function titleOf(text) {
  const words = String(text)
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > 60 ? `${words.slice(0, 60).replace(/ \S*$/, '')} …` : words;
}
