import { sampleTest } from '../sender/article/sample-event.js';
import { describe, isSuccess } from './expect.js';
import type { Session } from './session.js';
import { SIGNATURE_FORMS, type SignatureForm } from './signature-forms.js';
import type { Answer } from './transport/probe.js';
import type { Overrides } from './transport/request.js';

/** What a receiver may take in place of what the service sends, and what it then has to change. */
interface Guess {
  readonly overrides: Overrides;
  readonly fix: string;
}

/** Signs in this form the bytes that are sent. */
function signedAs({ sign }: SignatureForm, secret: string): Overrides {
  let sent = '';
  return {
    body: (json) => {
      sent = json;
      return json;
    },
    signature: () => sign(sent, secret, String(Math.floor(Date.now() / 1000))),
  };
}

const NAMES: Guess = {
  overrides: { lowercase: true },
  fix: 'It finds the headers only if their names are in lower case. Look them up in any case.',
};

/** Why a receiver refuses a right signature: the form of the body or the key with which it accepts a webhook.test. */
export function whyNotSigned(session: Session, answer: Answer): Promise<string | undefined> {
  const page = /text\/html/i.test(answer.headers['content-type'] ?? '');
  if (page || /cloudflare|akamai|sucuri|imperva/i.test(String(answer.headers.server)))
    return Promise.resolve(
      'This answer comes from a firewall or a proxy before the receiver. Let signed POST requests to this path through.',
    );
  const { secret } = session.options;
  return proven(session, [
    NAMES,
    ...SIGNATURE_FORMS.map((form) => ({
      fix: `It expects a signature ${form.what}. ${form.fix}`,
      overrides: signedAs(form, secret),
    })),
  ]);
}

/** Why a receiver refuses a signed request: by its status, or by what it accepts. */
export async function whyNotAccepted(session: Session, { status }: Answer): Promise<string | undefined> {
  if (status === 429)
    return 'It limits requests. Let those of the service through, or check it with a lower --rate.';
  if (status >= 500)
    return 'The receiver failed at this request: look at its log, and at that of the proxy before it.';
  return proven(session, [
    NAMES,
    {
      overrides: { envelope: { contract_version: 3 } },
      fix: 'It accepts contract_version 3. Requests carry 2 for receivers of every version; only answers say 3.',
    },
  ]);
}

async function proven(session: Session, guesses: readonly Guess[]): Promise<string | undefined> {
  for (const { overrides, fix } of guesses) {
    const reply = await session.reply('webhook.test', sampleTest({ id: session.id('test') }), {
      ...overrides,
      trial: true,
    });
    if (reply.kind === 'answer' && isSuccess(reply))
      return `${fix} (Proven: so sent, a test is answered ${describe(reply)}.)`;
  }
  return undefined;
}
