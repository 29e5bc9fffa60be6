import http from 'node:http';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

/** A route handler, as Next.js calls it. */
type Handler = (
  request: Request,
  context: { params: Promise<Record<string, string>> },
) => Response | Promise<Response>;

// Serves the bundles of two routes at PORT: that of the webhook, and that of the articles' pages.
const [webhook = '', page = ''] = process.argv.slice(2).map((path) => pathToFileURL(path).href);
const { POST }: { POST: Handler } = await import(webhook);
const { GET }: { GET: Handler } = await import(page);

http
  .createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    const isPost = incoming.method === 'POST';
    const request = new Request(url, {
      method: isPost ? 'POST' : 'GET',
      headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      ...(isPost && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
    });
    const slug = url.pathname.split('/').at(-1) ?? '';
    const response = await (isPost ? POST : GET)(request, { params: Promise.resolve({ slug }) });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  })
  .listen(Number(process.env.PORT), '127.0.0.1');
