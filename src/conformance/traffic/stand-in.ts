import {
  conflictAnswer,
  lookupAnswer,
  publishedAnswer,
  testAnswer,
  updatedAnswer,
} from '../../contract/answers.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import type { ArticleData } from '../../contract/envelope.js';
import type { JudgedRequest } from './judge-request.js';

interface Kept {
  readonly id: string;
  readonly url: string;
  title: string;
  html: string;
  revision: string;
}

/** An answer by the contract. */
export interface Answer {
  readonly status: number;
  readonly json: object;
}

/**
 * Creates a receiver of Version 3 that keeps its articles in memory. It answers if `listen` does not forward requests.
 *
 * @param origin the origin of its articles' URLs.
 */
export function createStandIn(origin: string): (request: JudgedRequest) => Answer {
  const articles = new Map<string, Kept>();
  const refuse = (status: number, error: string): Answer => ({ status, json: { error } });
  const at = (url: string) => {
    const wanted = canonicalUrl(url);
    return [...articles.values()].find((article) => canonicalUrl(article.url) === wanted);
  };
  const fill = (article: Kept, data: ArticleData, revision: string) => {
    Object.assign(article, {
      title: data.title || 'Untitled',
      html: data.content_html || '<p></p>',
      revision,
    });
  };

  return ({ signature, delivery, findings }) => {
    if (signature !== 'right') return refuse(401, whyUnsigned(findings));
    if (delivery === undefined)
      return refuse(400, findings.at(-1)?.says ?? 'the body does not match the contract');
    switch (delivery.event) {
      case 'webhook.test':
        return { status: 200, json: testAnswer() };
      case 'article.published': {
        const { data } = delivery;
        const known = articles.get(data.id);
        if (known !== undefined) return { status: 200, json: publishedAnswer(known.id, known.url) };
        const url = freeUrl(
          `${origin}/articles/${encodeURIComponent(data.slug || data.id)}`,
          (one) => at(one) === undefined,
        );
        const article = { id: data.id, url, title: '', html: '', revision: '' };
        fill(article, data, `published-${data.id}`);
        articles.set(data.id, article);
        return { status: 200, json: publishedAnswer(article.id, url) };
      }
      case 'article.lookup': {
        const found = at(delivery.data.target_url);
        if (found === undefined) return refuse(404, 'no article has this URL');
        const { id, url, title, html, revision } = found;
        return {
          status: 200,
          json: lookupAnswer({ id, url, title, content_html: html, revision_id: revision }),
        };
      }
      case 'article.updated': {
        const { data } = delivery;
        const article = articles.get(data.target_id);
        if (data.id !== data.revision_id) return refuse(400, 'data.id and revision_id differ');
        if (article === undefined || at(data.target_url) !== article)
          return refuse(404, 'target_id and target_url do not belong to the same article');
        if (article.revision === data.revision_id)
          return { status: 200, json: updatedAnswer(data.revision_id) };
        if (article.revision !== data.base_revision_id) return { status: 409, json: conflictAnswer({}) };
        fill(article, data, data.revision_id);
        return { status: 200, json: updatedAnswer(data.revision_id) };
      }
    }
  };
}

function whyUnsigned(findings: JudgedRequest['findings']): string {
  return (
    findings.find(({ section }) => section.startsWith('Authentication'))?.says ??
    'the signature does not match'
  );
}

function freeUrl(base: string, isFree: (url: string) => boolean): string {
  for (let n = 1; ; n++) {
    const url = `${base}${n === 1 ? '' : `-${n}`}/`;
    if (isFree(url)) return url;
  }
}
