import { Command } from 'commander';
import { readRecording } from '../../conformance/traffic/recording.js';
import { PressmarkError, quote } from '../../errors.js';
import { timeoutOf } from '../../sender/delivery/send-event.js';
import { exchange } from '../../sender/delivery/transport.js';
import { example } from '../options.js';
import { print, printableLines, printJson } from '../terminal.js';

/** Headers that belong to the connection over which the request came. */
const LEFT_OUT = /^(?:host|content-length|connection|keep-alive|transfer-encoding|accept-encoding)$/i;

/** `pressmark replay`: sends a recorded request once more, byte for byte. */
export function replayCommand(): Command {
  return new Command('replay')
    .description('send a request once more that pressmark listen --record has kept, byte for byte')
    .argument('<file>', 'the recording')
    .requiredOption('--to <url>', 'the receiver’s URL')
    .option('--json', 'print the status and the answer as JSON')
    .addHelpText(
      'after',
      example('pressmark replay traffic/0001-article.published.json --to http://localhost:8787/webhook'),
    )
    .action(async (file: string, { to, json }: { to: string; json?: boolean }) => {
      if (!/^https?:/i.test(to) || !URL.canParse(to))
        throw new PressmarkError(
          'USAGE',
          `--to ${quote(to)} is not an http(s) URL; give one such as https://example.com/webhook`,
        );
      const { method, headers, body } = readRecording(file);
      const {
        status,
        body: bytes,
        ms,
      } = await exchange({
        url: to,
        method,
        headers: Object.fromEntries(
          headers.flatMap((name, n) =>
            n % 2 === 0 && !LEFT_OUT.test(name) ? [[name, headers[n + 1] ?? '']] : [],
          ),
        ),
        body: Buffer.from(body, 'base64'),
        timeoutMs: timeoutOf('article.published'),
      });
      const text = bytes.toString();
      if (json) printJson({ status, ms, body: text });
      else print(`${status} in ${ms} ms\n${process.stdout.isTTY ? printableLines(text) : text}`);
      if (status < 200 || status > 299) process.exitCode = 1;
    });
}
