import * as trial from '../../../src/deploy/trial/trial-articles.js';

export {
  bodyOf,
  hostileHtml,
  hostileMarkdown,
  PUBLISHED_AT,
  UPDATED_AT,
} from '../../../src/deploy/trial/trial-articles.js';

/** An article that is sent to the receiver of a site, and what is expected of its page. */
export interface Sample extends trial.TrialArticle {
  /** Whether it is HTML that has replaced Markdown, in a file whose name says Markdown. @default false */
  readonly isHtmlInMarkdown?: boolean;
}

/** What templates would multiply. */
const FACTORS = [7919, 7907] as const;
/** What no page may show. */
export const PRODUCT = String(FACTORS[0] * FACTORS[1]);

const probe = (canary: string): trial.Probe => ({ canary, factors: FACTORS });

// The articles by which `pressmark doctor --build` tries every site, those of an owner's own generator among them.
export const ordinaryArticles = (): Sample[] => trial.ordinaryArticles();
export const hostileTexts = (canary: string) => trial.hostileTexts(probe(canary));
export const hostileArticles = (canary: string): Sample[] => trial.hostileArticles(probe(canary));
export const hostileTags = (canary: string): Sample => trial.hostileTags(probe(canary));
