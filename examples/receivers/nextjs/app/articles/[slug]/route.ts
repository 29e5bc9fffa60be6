import { type Article, findByUrl, urlOf } from '../../../lib/articles';

export const dynamic = 'force-dynamic';

/** A handler and no page: React has no way to put HTML into the head as it is, which json_ld needs. */
export async function GET(_: Request, { params }: { params: Promise<{ slug: string }> }): Promise<Response> {
  const { slug } = await params;
  const article = await findByUrl(urlOf({ slug }));
  if (article === undefined) return new Response('Nothing here', { status: 404 });
  return new Response(pageOf(article), { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
}

/** json_ld and content_html are HTML, and stay as they came; everything else is text. */
function pageOf({ title, meta_description, featured_image_url, json_ld, content_html }: Article): string {
  const image = featured_image_url === null ? '' : `<img src="${escaped(featured_image_url)}" alt="">`;
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>${escaped(title)}</title>
<meta name="description" content="${escaped(meta_description)}">
${json_ld}
</head><body><h1>${escaped(title)}</h1>
${image}
${content_html}
</body></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
