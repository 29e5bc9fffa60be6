import { plainText, type Token } from './markdown.js';

/** The data for the JSON-LD blocks. */
export interface JsonLdSource {
  readonly title: string;
  readonly description: string;
  readonly image: string | null;
  readonly author: string;
  readonly application: string;
  readonly tags: readonly string[];
  /** ISO 8601; undefined if unknown. */
  readonly published: string | undefined;
  /** ISO 8601, for an updated article. */
  readonly modified: string | undefined;
  readonly tokens: readonly Token[];
}

/**
 * The script blocks for the page's head, one after another: Article, Organization, and FAQPage if headings of the text ask
 * questions (contract: json_ld). The same article gives the same text each time.
 */
export function jsonLdOf(source: JsonLdSource): string {
  const organization = { '@type': 'Organization', name: source.application };
  const { title, description, image, author, tags, published, modified } = source;
  const article = {
    '@type': 'Article',
    ...(title !== '' && { headline: title }),
    ...(description !== '' && { description }),
    ...(image !== null && { image }),
    author: { '@type': 'Person', name: author },
    publisher: organization,
    ...(published !== undefined && { datePublished: published }),
    ...(modified !== undefined && { dateModified: modified }),
    ...(tags.length > 0 && { keywords: tags.join(', ') }),
  };
  const questions = questionsOf(source.tokens);
  const faq = {
    '@type': 'FAQPage',
    mainEntity: questions.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  };
  return [article, organization, ...(questions.length > 0 ? [faq] : [])].map(block).join('\n');
}

function block(value: object): string {
  // Without `<`, no text can end the script early.
  const json = JSON.stringify({ '@context': 'https://schema.org', ...value }).replaceAll('<', '\\u003c');
  return `<script type="application/ld+json">${json}</script>`;
}

interface Question {
  readonly question: string;
  readonly answer: string;
}

/** The headings that end in a question mark, each with the text up to the next heading. */
function questionsOf(tokens: readonly Token[]): Question[] {
  const starts = tokens.flatMap(({ type }, at) => (type === 'heading_open' ? [at] : []));
  return starts.flatMap((start, n) => {
    const question = plainText(tokens.slice(start + 1, start + 2));
    // Skips the heading's three tokens: opening, text and end.
    const answer = plainText(tokens.slice(start + 3, starts[n + 1] ?? tokens.length));
    return /[?？]$/.test(question) && answer !== '' ? [{ question, answer }] : [];
  });
}
