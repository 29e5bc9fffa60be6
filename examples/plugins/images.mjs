// Stores the pictures of articles in the site, the featured one and those of the text, in several widths as AVIF and WebP.
// Run npm install sharp in the site. Options: widths; allowPrivate, for a server of pictures in your own network.
// A picture that cannot be fetched keeps its address, and is tried again. What a person has edited is left alone.
import { definePlugin, fetchPublic } from 'pressmark';
import sharp from 'sharp';

/** What sharp calls the pictures that browsers show; AVIF is heif. */
const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'heif'];
sharp.concurrency(1); // a picture may take longer: the other processors are for deliveries

/** Stores a picture in all widths. @returns what pages need of it. */
async function store({ assets }, bytes, article, widths) {
  const image = sharp(bytes, { limitInputPixels: 50_000_000 });
  const { format, pages = 1 } = await image.metadata();
  if (!FORMATS.includes(format)) throw new Error(`it is ${format}, and no picture for a page`);
  const put = async (data, variant) => (await assets.put(data, { article, variant })).url;
  if (pages > 1) return { src: await put(bytes) }; // it moves
  const resized = (width) => image.clone().rotate().resize({ width, withoutEnlargement: true });
  const largest = resized(Math.max(...widths));
  const encoded = format === 'heif' ? largest.webp() : largest;
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const picture = { src: await put(data), width, height, avif: [], webp: [] };
  for (const one of new Set(widths.map((wanted) => Math.min(wanted, width))))
    for (const type of ['avif', 'webp'])
      picture[type].push(`${await put(await resized(one)[type]().toBuffer(), `${one}w`)} ${one}w`);
  return picture;
}

// No pattern reads anything twice, as an article may be made to take long.

/** The addresses of pictures in Markdown or HTML, the longest first: one may be the beginning of another. */
const addressesIn = (text) =>
  [...text.matchAll(/!\[[^[\]]*\]\(\s*<?(https?:[^\s)>]+)|<img\s[^<>]*?\bsrc\s*=\s*["'](https?:[^"']+)/gi)]
    .map(([, markdown, html]) => markdown ?? html)
    .sort((a, b) => b.length - a.length);

const OWN_SIZE = /\s(?:width|height)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)|(?<!\s)\s*\/?>$/gi;

/** An element with the widths of its picture. */
function withWidths(img, { width, height, avif, webp }) {
  const source = (type, urls) => `<source type="image/${type}" srcset="${urls.join(', ')}" sizes="100vw">`;
  const size = `width="${width}" height="${height}"`;
  return `<picture>${source('avif', avif)}${source('webp', webp)}${img.replace(OWN_SIZE, '')} ${size}></picture>`;
}

export default definePlugin({
  name: 'images',
  version: '1.0.0',
  options: {
    '~standard': {
      version: 1,
      vendor: 'images',
      validate: ({ widths = [480, 960, 1600], allowPrivate }) => ({ value: { widths, allowPrivate } }),
    },
  },
  receiver(host) {
    const { widths, allowPrivate } = host.options;
    const network = allowPrivate ? { isAllowed: () => true } : {};
    async function run({ article }, { signal }) {
      const { id, revision, body, image, extra, isOfPerson } = article;
      const isOwn = (address) => address.startsWith(`${host.site.url}/`);
      const all = image ? [...addressesIn(body), image] : addressesIn(body);
      const remote = [...new Set(all)].filter((one) => !isOwn(one));
      if (isOfPerson) return;
      const [stored, failures] = [new Map(), []];
      for (const address of remote)
        try {
          const limits = { ...network, signal, maxBytes: 10_000_000, timeoutMs: 20_000 };
          const answer = await fetchPublic(address.replaceAll('&amp;', '&'), limits);
          if (answer.status !== 200) throw new Error(`it was answered ${answer.status}`);
          stored.set(address, await store(host, answer.body, id, widths));
        } catch (error) {
          failures.push(`${address}: ${error.message}`);
        }
      if (stored.size > 0) {
        const text = [...stored].reduce((part, [from, { src }]) => part.replaceAll(from, src), body);
        const featured = stored.get(image)?.src ?? image;
        const kept = (extra.pictures ?? []).filter(({ src }) => text.includes(src) || src === featured);
        const change = { body: text, frontMatter: { pictures: [...kept, ...stored.values()] } };
        await host.articles.patch(id, revision, featured ? { ...change, image: featured } : change);
      }
      if (failures.length > 0) throw new Error(failures.join('; '));
    }
    host.job('published', { on: 'article.published', run });
    host.job('updated', { on: 'article.updated', run });
  },
  pages(host) {
    host.addFilter('page.html', async (html, { kind, path }) => {
      const article = kind === 'article' ? await host.articles.find(`${host.site.url}${path}`) : undefined;
      const pictures = (article?.extra.pictures ?? []).filter(({ width }) => width !== undefined);
      return html.replace(/<img\s[^<>]*>/gi, (img) => {
        const [, src] = /\bsrc=["']([^"']+)["']/i.exec(img) ?? [];
        const base = `${host.site.url}/`;
        const address = URL.canParse(src, base) ? new URL(src, base).href : undefined;
        const found = pictures.find((one) => one.src === address);
        return found === undefined || /\bsrcset=/i.test(img) ? img : withWidths(img, found);
      });
    });
  },
});
