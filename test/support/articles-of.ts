import type { HostArticles } from '../../src/host/articles/edits.js';
import { withPlugins } from './with-plugins.js';

/** Lets a test call what plugins are handed. */
const PLUGIN = `export default { name: 'caller', receiver(host) {
  host.routes((router) => router.post('/call', async (context) => {
    const { method, args } = context.request.body;
    try { context.body = { result: await host.articles[method](...args.map((one) => one ?? undefined)) }; }
    catch (error) { context.body = { code: error.code, message: error.message, details: error.details }; }
  }));
} };`;

/** Puts a plugin into a site's folder that `articlesOf` talks to. @returns the folder. */
export const withCaller = (dir: string) => withPlugins(dir, { caller: PLUGIN });

/** What a method has thrown. */
export class Thrown extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, string>>,
  ) {
    super(message);
  }
}

/** The articles of a receiver, as its plugins have them. */
export function articlesOf({ origin }: { readonly origin: string }): Omit<HostArticles, 'ids'> {
  const call =
    (method: string) =>
    async (...args: unknown[]) => {
      const response = await fetch(`${origin}/-/caller/call`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ method, args }),
      });
      const { result, code, message, details } = (await response.json()) as Record<string, never>;
      if (code !== undefined || message !== undefined)
        throw new Thrown(code ?? '', message ?? '', details ?? {});
      return result;
    };
  return new Proxy({}, { get: (_, method) => call(String(method)) }) as ReturnType<typeof articlesOf>;
}
