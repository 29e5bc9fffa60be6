import { signature } from '../signer.js';
import type {
  Envelope,
  Fields,
  Handler,
  Incoming,
  Outgoing,
  Steps,
  Store,
  StoredArticle,
} from './receiver.js';
import { refuse } from './receiver.js';

/** Breaks a receiver in one place. */
export type Break = (steps: Steps) => void;

/** Whether the fault concerns this request. */
export type Meant = (envelope: Envelope, steps: Steps) => boolean;

/** Judges signatures otherwise; `was` is the right judgement, `right` the right signature. */
export function verifies(
  judge: (was: boolean, given: string | undefined, right: string, incoming: Incoming) => boolean,
): Break {
  return (steps) => {
    const { verify } = steps;
    steps.verify = (incoming) => {
      const { 'x-service-signature': header } = incoming.headers;
      const given = Array.isArray(header) ? undefined : header;
      return judge(verify(incoming), given, signature(incoming.body), incoming);
    };
  };
}

/** Accepts signatures that are wrong. */
export const lets = (
  judge: (given: string | undefined, right: string, incoming: Incoming) => boolean,
): Break => verifies((was, ...of) => was || judge(...of));

/** Throws an exception at some signatures. */
export const crashes = (judge: (given: string | undefined, right: string) => boolean): Break =>
  verifies((was, given, right) => {
    if (judge(given, right)) throw new TypeError('Input buffers must have the same byte length');
    return was;
  });

/** Computes the signature of other bytes than those of the body. */
export const signs = (bytes: (body: Buffer) => Buffer | string): Break =>
  verifies((_, given, __, { body }) => given === signature(bytes(body)));

/** Handles an event otherwise. */
export function handles(event: string, otherwise: (handler: Handler, steps: Steps) => Handler): Break {
  return (steps) => {
    const handler = steps.events[event] ?? (() => refuse(400, 'event'));
    steps.events[event] = otherwise(handler, steps);
  };
}

/** Changes the answer to an event, unless the event is refused. */
export const answers = (
  event: string,
  change: (json: Fields, envelope: Envelope) => Partial<Outgoing>,
): Break =>
  handles(event, (handler) => async (envelope) => {
    const out = await handler(envelope);
    return { ...out, ...change(out.json ?? {}, envelope) };
  });

/** Answers an event without handling it. */
export const instead = (event: string, meant: Meant, out: Partial<Outgoing> = {}): Break =>
  handles(event, (handler, steps) => (envelope) => {
    return meant(envelope, steps) ? { status: 200, json: { received: true }, ...out } : handler(envelope);
  });

/** Refuses requests that it must accept. */
export const refuses = (event: string, meant: Meant, status = 400): Break =>
  instead(event, meant, { status, json: { error: 'no' } });

/** Handles an event as if its content were different. */
export const reads = (event: string, as: (envelope: Envelope) => Partial<Envelope>): Break =>
  handles(event, (handler) => (envelope) => handler({ ...envelope, ...as(envelope) }));

/** Accepts a wrong contract_version as 2. */
export const tolerates = (event: string, version: unknown): Break =>
  reads(event, ({ json }) =>
    json.contract_version === version ? { json: { ...json, contract_version: 2 } } : {},
  );

/** Fails at some bodies before they are parsed. */
export function stumbles(over: (text: string, incoming: Incoming) => boolean, status = 500): Break {
  return (steps) => {
    const { parse } = steps;
    steps.parse = (incoming) =>
      over(incoming.body.toString(), incoming) ? refuse(status, 'stumbled') : parse(incoming);
  };
}

/** Answers some unsigned requests with another status. */
export function unsigned(meant: (incoming: Incoming, steps: Steps) => boolean, status: number): Break {
  return (steps) => {
    const { unsigned: refused } = steps;
    steps.unsigned = (incoming) =>
      meant(incoming, steps) ? { status, json: { error: 'otherwise' } } : refused(incoming);
  };
}

/** Changes every answer just before it is sent. */
export function finishes(change: (out: Outgoing, incoming: Incoming) => Partial<Outgoing>): Break {
  return (steps) => {
    const { finish } = steps;
    steps.finish = (given, incoming) => {
      const out = finish(given, incoming);
      return { ...out, ...change(out, incoming) };
    };
  };
}

/** The same for the answers to one event. */
export const finishesEvent = (event: string, change: (out: Outgoing) => Partial<Outgoing>): Break =>
  finishes((out, { headers }) => (headers['x-service-event'] === event ? change(out) : {}));

/** Replaces a method of the store. @param otherwise makes the other method of the right one. */
export function inStore<Name extends keyof Omit<Store, 'articles'>>(
  name: Name,
  otherwise: (method: Store[Name], store: Store) => Store[Name],
): Break {
  return ({ store }) => {
    const method = store[name].bind(store) as Store[Name];
    Object.assign(store, { [name]: otherwise(method, store) });
  };
}

/** Finds articles at other URLs, too. */
export const alsoFinds = (as: (url: string) => string): Break =>
  inStore('find', (find) => (url) => find(url) ?? find(as(url)));

/** Does not find articles at URLs that match. */
export const misses = (kind: RegExp): Break =>
  inStore('find', (find) => (url) => (kind.test(url) ? undefined : find(url)));

/** Changes articles when they are stored. */
export const stores = (change: (article: StoredArticle) => void): Break =>
  inStore('replace', (replace) => (article, data) => {
    replace(article, data);
    change(article);
  });

/** Changes the HTML of articles when they are stored. */
export const storesHtml = (change: (html: string) => string): Break =>
  stores((article) => {
    article.html = change(article.html);
  });

/** Changes the pages of articles. */
export function shows(change: (page: string, article: StoredArticle) => string): Break {
  return (steps) => {
    const { page } = steps;
    steps.page = (article) => change(page(article), article);
  };
}

/** Makes a barrier: the first calls wait until there are `count` calls; later calls do not wait. */
export function meeting(count: number): () => Promise<void> {
  let missing = count;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    if (--missing === 0) open();
    return opened;
  };
}
