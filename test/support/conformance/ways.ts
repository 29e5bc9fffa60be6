import type { Envelope, Incoming, Steps } from './reference-receiver.js';
import { signatureOf } from './reference-receiver.js';
import type { StoredArticle } from './reference-store.js';
import { type Fields, type Outgoing, refuse } from './refusal.js';

/** Breaks a receiver in one place. */
export type Break = (steps: Steps) => void;

/** Whether the fault concerns a request with this signature; `right` is the correct one. */
type Judge = (given: string | undefined, right: string, incoming: Incoming) => boolean;
/** Whether the fault concerns this request. */
type Meant = (envelope: Envelope, steps: Steps) => boolean;

const givenIn = ({ headers }: Incoming): string | undefined => {
  const header = headers['x-service-signature'];
  return typeof header === 'string' ? header : undefined;
};
const judged = (judge: Judge, incoming: Incoming) =>
  judge(givenIn(incoming), signatureOf(incoming.body), incoming);

/** Accepts signatures that are wrong. */
export function lets(judge: Judge): Break {
  return (steps) => {
    const { verify } = steps;
    steps.verify = (incoming) => verify(incoming) || judged(judge, incoming);
  };
}

/** Refuses signatures that are right. */
export function denies(judge: Judge): Break {
  return (steps) => {
    const { verify } = steps;
    steps.verify = (incoming) => verify(incoming) && !judged(judge, incoming);
  };
}

/** Throws an exception at some signatures. */
export function crashes(judge: Judge): Break {
  return (steps) => {
    const { verify } = steps;
    steps.verify = (incoming) => {
      if (judged(judge, incoming)) throw new TypeError('Input buffers must have the same byte length');
      return verify(incoming);
    };
  };
}

/** Computes the signature of other bytes than those of the body. */
export function signs(bytes: (body: Buffer) => Buffer | string): Break {
  return (steps) => {
    steps.verify = (incoming) => givenIn(incoming) === signatureOf(Buffer.from(bytes(incoming.body)));
  };
}

/** Changes the answer to an event, unless the event is refused. */
export function answers(
  event: string,
  change: (json: Fields, envelope: Envelope) => Partial<Outgoing>,
): Break {
  return (steps) => {
    const handler = handlerOf(steps, event);
    steps.events[event] = async (envelope) => {
      const out = await handler(envelope);
      return { ...out, ...change(out.json ?? {}, envelope) };
    };
  };
}

/** Answers an event without handling it. */
export function instead(event: string, meant: Meant, out: Partial<Outgoing> = {}): Break {
  return (steps) => {
    const handler = handlerOf(steps, event);
    steps.events[event] = (envelope) =>
      meant(envelope, steps) ? { status: 200, json: { received: true }, ...out } : handler(envelope);
  };
}

/** Refuses requests that it must accept. */
export function refuses(event: string, meant: Meant, status = 400): Break {
  return instead(event, meant, { status, json: { error: 'no' } });
}

/** Handles an event as if its content were different. */
export function reads(event: string, as: (envelope: Envelope) => Partial<Envelope>): Break {
  return (steps) => {
    const handler = handlerOf(steps, event);
    steps.events[event] = (envelope) => handler({ ...envelope, ...as(envelope) });
  };
}

/** Accepts a wrong contract_version as 2. */
export function tolerates(event: string, version: unknown): Break {
  return reads(event, ({ json }) =>
    json.contract_version === version ? { json: { ...json, contract_version: 2 } } : {},
  );
}

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
    steps.finish = (out, incoming) => ({ ...out, ...change(out, incoming) });
  };
}

/** Finds articles at other URLs, too. */
export function alsoFinds(as: (url: string) => string): Break {
  return ({ store }) => {
    const find = store.find.bind(store);
    store.find = (url) => find(url) ?? find(as(url));
  };
}

/** Does not find articles at URLs that match. */
export function misses(kind: RegExp): Break {
  return ({ store }) => {
    const find = store.find.bind(store);
    store.find = (url) => (kind.test(url) ? undefined : find(url));
  };
}

/** Changes articles when they are stored. */
export function stores(change: (article: StoredArticle) => void): Break {
  return ({ store }) => {
    const replace = store.replace.bind(store);
    store.replace = (article, data) => {
      replace(article, data);
      change(article);
    };
  };
}

/** Changes the HTML of articles when they are stored. */
export function storesHtml(change: (html: string) => string): Break {
  return stores((article) => {
    article.html = change(article.html);
  });
}

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

function handlerOf(steps: Steps, event: string) {
  const handler = steps.events[event];
  if (handler === undefined) throw new Error(`there is no handler for ${event}`);
  return handler;
}
