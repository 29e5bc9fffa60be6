import { messageOf, systemCode } from '../../errors.js';

/** What went wrong, and what to do. */
interface Words {
  readonly what: string;
  readonly fix: string;
}

const NO_PROGRAM: Words = {
  what: 'no program listens at this host and port',
  fix: 'start the receiver, or correct the URL',
};
const NO_HOST: Words = {
  what: 'there is no host with this name',
  fix: 'correct the URL, or the DNS of the host',
};
const NO_ROUTE: Words = {
  what: 'this host cannot be reached',
  fix: 'check the network, the firewall and the URL',
};
const CLOSED: Words = {
  what: 'the connection was closed without an answer',
  fix: 'look at the log of the receiver, or of the proxy before it',
};
const NOT_TLS: Words = {
  what: 'the host does not speak TLS at this port',
  fix: 'write http:// where the receiver has no certificate, or correct the port',
};
const NOT_HTTP: Words = {
  what: 'the answer is not HTTP',
  fix: 'write https:// where the receiver has a certificate, or correct the port',
};
const UNKNOWN_ISSUER: Words = {
  what: 'the certificate is not from an authority that this machine trusts',
  fix: 'give the receiver a certificate with its whole chain, or name the authority in NODE_EXTRA_CA_CERTS',
};

/** By the code of Node.js or OpenSSL. */
const WORDS: Readonly<Record<string, Words>> = {
  ECONNREFUSED: NO_PROGRAM,
  ENOTFOUND: NO_HOST,
  EAI_AGAIN: { what: 'the name of the host could not be looked up now', fix: 'check the network' },
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ETIMEDOUT: NO_ROUTE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  EPROTO: NOT_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS,
  CERT_HAS_EXPIRED: { what: 'the certificate has expired', fix: 'renew it on the receiver’s host' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'the certificate is for another host',
    fix: 'use the host that the certificate names, or get one for this host',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ISSUER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
};

/**
 * Why no answer came, in plain words and with the system's own, and what to do. Of several addresses that were tried, the
 * first one's error counts.
 */
export function unreachableBecause(error: unknown): Words {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(first) ?? '';
  const own = messageOf(first).split('\n', 1)[0] || code || 'no connection';
  const words = WORDS[code] ?? (code.startsWith('HPE_') ? NOT_HTTP : undefined);
  if (words === undefined) return { what: own, fix: CLOSED.fix };
  const { what, fix } = words;
  // OpenSSL's own words name its source files.
  const shown = /\berror:\w+:/.test(own) ? code : own;
  return { what: `${what} (${shown.includes(code) ? shown : `${code}: ${shown}`})`, fix };
}
