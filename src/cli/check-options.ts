import { InvalidArgumentError } from 'commander';
import { PressmarkError, quote } from '../errors.js';

/** The receiver’s URL. @throws PressmarkError USAGE */
export function receiverUrl(text: string | undefined): URL {
  if (text === undefined)
    throw new PressmarkError(
      'USAGE',
      'which receiver? Give its URL: pressmark check https://example.com/webhook',
    );
  if (!/^https?:\/\/./i.test(text) || !URL.canParse(text))
    throw new PressmarkError(
      'USAGE',
      `${quote(text, 80)} is neither an http(s) URL such as https://example.com/webhook nor the name of a connector`,
    );
  const url = new URL(text);
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch (cause) {
    throw new PressmarkError('USAGE', 'the URL’s user and password cannot be decoded; write a % as %25', {
      cause,
    });
  }
  return url;
}

/** A pattern of articles’ URLs. @throws PressmarkError USAGE */
export function articlePattern(text: string): string {
  const filled = text.replaceAll('{slug}', 'a').replaceAll('{id}', 'a');
  if (/^https?:\/\//i.test(text) && filled !== text && URL.canParse(filled)) return text;
  throw new PressmarkError(
    'USAGE',
    `--article-url ${quote(text, 80)} is no pattern; give one such as https://example.com/articles/{slug}/`,
  );
}

/** An absolute http(s) URL, as it was given. */
export function parseUrl(text: string): string {
  if (!/^https?:\/\/./i.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It has to be an absolute http(s) URL.');
  return text;
}

/** A number above 0. */
export function parsePositive(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0) throw new InvalidArgumentError('It has to be more than 0.');
  return value;
}

/** A whole number from 1. */
export function parseRate(text: string): number {
  const rate = Number(text);
  if (!/^\d+$/.test(text) || rate < 1) throw new InvalidArgumentError('It has to be a whole number from 1.');
  return rate;
}

/** Texts with commas between them. */
export function parseList(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

/** A version of the contract. */
export function parseVersion(text: string): 1 | 2 | 3 {
  if (text === '1' || text === '2' || text === '3') return Number(text) as 1 | 2 | 3;
  throw new InvalidArgumentError('It has to be 1, 2 or 3.');
}
