import vm from 'node:vm';
import type { Eta } from 'eta/core';
import { messageOf } from '../../errors.js';

/**
 * Sees to it that a template can be compiled.
 *
 * @throws an Error whose first line is `<name>:<line>`, as the template engine's own are when a template runs.
 */
export function checkSyntax(eta: Eta, name: string, source: string): void {
  let code: string;
  try {
    code = eta.compileToString(source);
  } catch (error) {
    const [, reason = messageOf(error), line = '1'] = /^(.*) at line (\d+)/.exec(messageOf(error)) ?? [];
    throw new Error(`${name}:${line}\n\n${reason}`, { cause: error });
  }
  try {
    new vm.Script(`(function (it, options) {${code}\n})`);
  } catch (error) {
    throw new Error(`${name}:${sourceLine(code, error)}\n\n${messageOf(error)}`, { cause: error });
  }
}

/** The template's line that stands behind the line of compiled code at which it is no JavaScript any more. */
function sourceLine(code: string, error: unknown): string {
  const [, line = '1'] = (error instanceof Error && /^[^\n]*:(\d+)\n/.exec(error.stack ?? '')) || [];
  const before = code.split('\n').slice(0, Number(line)).join('\n');
  return before.match(/(?<=^__eta\.line=)\d+/gm)?.at(-1) ?? '1';
}

/**
 * A failure's message in one line: the innermost template and the reason, then where it is included; the same for
 * all pages that fail there. The template engine writes `<name>:<line>`, some lines around it and a blank one for
 * each template on the way.
 */
export function placeFirst(message: string): string {
  const parts = message.split('\n\n');
  const isPlace = (part: string) => /^\S+:\d+(?:\n|$)/.test(part);
  const end = parts.findIndex((part) => !isPlace(part));
  const places = parts.slice(0, end === -1 ? parts.length : end).map((part) => part.split('\n', 1)[0]);
  const reason = parts.slice(places.length).join(' ').replace(/\s+/g, ' ');
  const [place, around] = places.reverse();
  if (place === undefined) return reason;
  return `template ${place}: ${reason}${around === undefined ? '' : ` (in ${around})`}`;
}
