import { randomBytes } from 'node:crypto';
import type { LookupTarget } from '../contract/answers.js';
import type { ArticleData, UpdateData } from '../contract/envelope.js';
import { itemComment } from '../contract/item-comment.js';
import type { EventName } from '../contract/limits.js';
import { sampleTest } from '../sender/article/sample-event.js';
import { CLOCK } from '../sender/clock.js';
import { FOLLOWED, redirectTarget } from '../sender/delivery/transport.js';
import { answered, expectSuccess, isSuccess, looseFieldsOf, NotChecked } from './expect.js';
import { expectUnchanged, targetOf } from './lookup-target.js';
import { articleSample, idPrefix, updateSample } from './samples.js';
import { EventSender, type EventSenderOptions, type OutgoingEvent } from './transport/event-sender.js';
import { type Page, type PagesOptions, pageWhen } from './transport/pages.js';
import type { Answer, Reply } from './transport/probe.js';
import type { Overrides } from './transport/request.js';
import type { Version } from './version.js';

export interface SessionOptions extends EventSenderOptions {
  readonly url: URL;
  /** The URL of an existing article, for the lookups of a read-only run. */
  readonly target?: string | undefined;
  /** The pattern of articles' URLs, with `{slug}` and `{id}`, for receivers that do not answer the URL. */
  readonly articleUrl?: string | undefined;
  /** The version to check, instead of the one that the receiver states. */
  readonly as?: Version | undefined;
  /** Asks a person for a step, and resolves when it is done. */
  readonly ask?: ((step: PersonsStep) => Promise<void>) | undefined;
  /** Treats advice as failure. */
  readonly strict?: boolean | undefined;
  /** Checks the articles’ pages too. */
  readonly pages?: PagesOptions | undefined;
}

/** A step that only a person can take. */
export type PersonsStep =
  | { readonly kind: 'edit'; readonly title: string; readonly url: string }
  | { readonly kind: 'restart' };

/** An article that was published for the run. */
export interface Stored {
  readonly data: ArticleData;
  readonly answer: Answer;
  /** @throws NotChecked if neither the answer nor `articleUrl` contains it. */
  url(): string;
}

const MOST_CONCURRENT = 6;

/** The number of attempts to reach a receiver that may be restarting, and the pauses between them, in milliseconds. */
const RESTART_TRIES = 11;
const RESTART_PAUSE_MS = 500;

/** The pause before the second lookup of an article that was not found, in milliseconds. */
const LATE_MS = 1000;

/** Whether a reply shows that the receiver may be down, or that a proxy answers in its place. */
function isLost(reply: Reply | undefined): reply is Reply {
  if (reply?.kind === 'silence') return reply.why === 'unreachable' || reply.why === 'closed';
  return reply !== undefined && reply.status >= 500;
}

/** The context of the rules: one run, its articles, and the answers so far. */
export class Session {
  readonly options: SessionOptions;
  /** Distinguishes this run's articles from all others. */
  readonly run = randomBytes(4).toString('hex');
  /** The articles that the receiver may hold now: URLs by id. */
  readonly left = new Map<string, string | undefined>();
  /** The version that the receiver is checked as. */
  version: Version = 3;
  /** The requests and answers so far. */
  readonly sender: EventSender;
  readonly #made = new Map<string, Promise<unknown>>();
  #names = 0;

  constructor(options: SessionOptions) {
    this.options = options;
    this.sender = new EventSender(options);
  }

  /** A unique name within this run. */
  id(name: string): string {
    return `${idPrefix(this.run)}${name}-${++this.#names}`;
  }

  /** The item comment of an article as the service would write it. */
  comment(id: string): string {
    return itemComment(id, this.options.service);
  }

  /** A target without an article. */
  nowhere(): LookupTarget {
    const id = this.id('nothing');
    const url = `https://nowhere.example/${id}/`;
    return { id, url, revision_id: 'none', title: 'Nothing', content_html: '<p>Nothing</p>' };
  }

  /** An article as the service would send it. */
  article(id: string, over?: Partial<ArticleData>): ArticleData {
    return articleSample(this.options.service, id, over);
  }

  /** An update of an article. */
  update(id: string, target: LookupTarget, over?: Partial<UpdateData>): UpdateData {
    return updateSample(this.options.service, id, target, over);
  }

  /** The reply to the first exchange: a `webhook.test` as the service would send it. */
  firstReply(): Promise<Reply> {
    return this.once('first test', () => this.reply('webhook.test', sampleTest({ id: this.id('test') })));
  }

  /** The answer to the first exchange. @throws Unmet if there is none. */
  async firstTest(): Promise<Answer> {
    return answered(await this.firstReply());
  }

  /**
   * Whether the receiver has gone down during the run: the last request got no answer or a 5xx, and so does a `webhook.test`,
   * even after the time of a restart, although the first one succeeded.
   *
   * @returns its last reply; undefined if it answers, or must not be asked.
   */
  async goneSince(entries: number): Promise<Reply | undefined> {
    const sent = this.sender.entries;
    if (!isLost(sent.slice(entries).at(-1)?.reply) || isLost(sent[0]?.reply)) return undefined;
    try {
      for (let tries = 1; ; tries++) {
        const reply = await this.reply('webhook.test', sampleTest({ id: this.id('test') }));
        if (!isLost(reply)) return undefined;
        if (tries === RESTART_TRIES) return reply;
        await this.#wait(RESTART_PAUSE_MS);
      }
    } catch (error) {
      if (error instanceof NotChecked) return undefined;
      throw error;
    }
  }

  /** Sends a `webhook.test`, for which no receiver stores anything. @throws Unmet if there is no answer. */
  test(overrides?: Overrides, over?: Readonly<Record<string, unknown>>): Promise<Answer> {
    return this.send('webhook.test', { ...sampleTest({ id: this.id('test') }), ...over }, overrides);
  }

  /** Sends an event. @throws Unmet if there is no answer, NotChecked if it must not be sent. */
  async send(event: EventName, data: object, overrides?: Overrides): Promise<Answer> {
    return answered(await this.reply(event, data, overrides));
  }

  /** Sends an event; only a publish follows a redirect, once (contract: Redirects). */
  async reply(event: EventName, data: object, overrides?: Overrides): Promise<Reply> {
    const { url } = this.options;
    const first = await this.#send(url, { event, data, overrides });
    if (event !== 'article.published' || first.kind === 'silence') return first;
    const next = FOLLOWED.includes(first.status) ? redirectTarget(url.href, first.headers.location) : {};
    if (next.url === undefined) return first;
    const second = await this.#send(new URL(next.url), { event, data, overrides });
    return second.kind === 'answer' ? { ...second, redirects: 1 } : second;
  }

  /** Fetches a public page until it is `ready` or the time is over. @throws NotChecked if pages are not to be checked. */
  async page(url: string, ready: (html: string) => boolean): Promise<Page> {
    const { pages } = this.options;
    if (pages === undefined) throw new NotChecked('use --public to check pages');
    return pageWhen(url, ready, pages, () => this.sender.turn());
  }

  /** The number of requests that can begin at the same moment. */
  get mostConcurrent(): number {
    const most = Math.min(MOST_CONCURRENT, this.options.rate);
    if (most < 2) throw new NotChecked('concurrent requests need a --rate of at least 2');
    return most;
  }

  /**
   * Sends up to `mostConcurrent` events so that their last bytes leave at the same moment.
   *
   * @param onReleased is called at that moment.
   */
  async together(events: readonly OutgoingEvent[], onReleased?: () => void): Promise<Reply[]> {
    const replies = await this.sender.together(this.options.url, events, onReleased);
    for (const [n, event] of events.entries()) this.#note(event, replies[n]);
    return replies;
  }

  /** Runs `make` for the first rule that needs it; other rules get the same result. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#made.get(name) as Promise<T> | undefined) ?? make();
    this.#made.set(name, made);
    return made;
  }

  /** The article that most rules check. */
  main(): Promise<Stored> {
    return this.stored('main');
  }

  /** The article of this name, published on first use. @throws Unmet if that fails. */
  stored(name: string, over?: (id: string, comment: string) => Partial<ArticleData>): Promise<Stored> {
    return this.once(`article ${name}`, () => {
      const id = this.id(name);
      return this.publish(this.article(id, over?.(id, this.comment(id))));
    });
  }

  /** Publishes an article that the receiver must accept. @throws Unmet */
  async publish(data: ArticleData): Promise<Stored> {
    const answer = await this.send('article.published', data);
    expectSuccess(answer);
    return this.storedBy(data, answer);
  }

  /** The article that the receiver accepted with this answer. */
  storedBy(data: ArticleData, answer: Answer): Stored {
    return { data, answer, url: () => this.urlOf(data, answer) };
  }

  /** Publishes an article, and looks it up as soon as the answer arrives. @throws Unmet */
  async publishAndFind(data: ArticleData): Promise<{ answer: Answer; late: boolean }> {
    await this.sender.turn(2);
    const answer = await this.send('article.published', data, { atOnce: true });
    expectSuccess(answer);
    return this.find(this.urlOf(data, answer), { atOnce: true });
  }

  /** The public URL of a published article. @throws NotChecked if neither the answer nor `articleUrl` contains it. */
  urlOf(data: ArticleData, answer: Answer): string {
    const url = urlIn(answer) ?? this.#patternUrl(data);
    if (url === undefined)
      throw new NotChecked('the article’s URL is not in the answer; give its pattern with --article-url');
    return url;
  }

  /** The URL of an existing article, for rules that only read. */
  async known(): Promise<string> {
    if (this.options.target !== undefined) return this.options.target;
    if (this.options.readOnly)
      throw new NotChecked('it needs an existing article; give its URL with --target');
    return (await this.main()).url();
  }

  /** @throws Unmet if the article is not found. */
  async lookup(url: string): Promise<LookupTarget> {
    return targetOf((await this.find(url)).answer);
  }

  /**
   * Looks up an existing article, and once more a second later if it is not found: late storing is the finding of only one
   * rule.
   */
  async find(url: string, overrides?: Overrides): Promise<{ answer: Answer; late: boolean }> {
    const ask = (how?: Overrides) => this.send('article.lookup', { target_url: url }, how);
    const first = await ask(overrides);
    if (first.status !== 404) return { answer: first, late: false };
    await this.#wait(LATE_MS);
    const second = await ask();
    return { answer: second, late: isSuccess(second) };
  }

  /** Expects that an action does not change the article at `url`. @throws Unmet if it does. */
  async unchangedBy(url: string, doing: () => Promise<unknown>): Promise<void> {
    const before = await this.lookup(url);
    await doing();
    expectUnchanged(before, await this.lookup(url));
  }

  /** An update of the article at `url`, based on its current state. */
  async draft(url: string, over: Partial<UpdateData> = {}): Promise<UpdateData> {
    return this.update(this.id('draft'), await this.lookup(url), over);
  }

  #wait(ms: number): Promise<void> {
    const { clock = CLOCK, signal = new AbortController().signal } = this.options;
    return clock.wait(ms, signal);
  }

  #patternUrl({ id, slug }: ArticleData): string | undefined {
    return this.options.articleUrl
      ?.replaceAll('{slug}', encodeURIComponent(slug))
      .replaceAll('{id}', encodeURIComponent(id));
  }

  async #send(url: URL, event: OutgoingEvent): Promise<Reply> {
    const reply = await this.sender.send(url, event);
    this.#note(event, reply);
    return reply;
  }

  /** Records the articles that the receiver may hold now: those that it accepted, and those without an answer. */
  #note({ event, data }: OutgoingEvent, reply: Reply | undefined): void {
    if (event !== 'article.published' || reply === undefined) return;
    if (reply.kind === 'answer' && !isSuccess(reply)) return;
    if (!('id' in data) || typeof data.id !== 'string') return;
    const url = reply.kind === 'answer' ? urlIn(reply) : undefined;
    this.left.set(data.id, url ?? this.left.get(data.id));
  }
}

/** The `url` in the answer to a publish, if there is one. */
function urlIn(answer: Answer): string | undefined {
  const { url } = looseFieldsOf(answer);
  return typeof url === 'string' && URL.canParse(url) ? url : undefined;
}
