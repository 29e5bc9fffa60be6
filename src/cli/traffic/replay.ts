import { Command } from 'commander';
import { readRecording } from '../../conformance/traffic/recording.js';
import { timeoutOf } from '../../sender/delivery/send-event.js';
import { exchange, type Reply } from '../../sender/delivery/transport.js';
import { example, parseUrl } from '../options.js';
import { print, printableLines, printJson } from '../terminal.js';

/** Headers of the recorded request's connection. */
const LEFT_OUT = /^(?:host|content-length|connection|keep-alive|transfer-encoding|accept-encoding)$/i;

/** `pressmark replay`: sends a recorded request again, byte for byte. */
export function replayCommand(): Command {
  return new Command('replay')
    .argument('<file>', 'the recording')
    .requiredOption('--to <url>', 'the receiver’s URL', parseUrl)
    .option('--json', 'print the status and the answer as JSON')
    .addHelpText(
      'after',
      example('pressmark replay traffic/0001-article.published.json --to http://localhost:8787/webhook'),
    )
    .action(async (file: string, { to, json }: { to: string; json?: boolean }) => {
      const { method, headers, body } = readRecording(file);
      const reply = await exchange({
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
      printReply(reply, json);
    });
}

/** Prints an answer, and sets the exit code to 1 if it is not a success. */
export function printReply({ status, ms, body, incomplete }: Reply, json = false): void {
  const text = body.toString();
  if (incomplete !== undefined) console.error(`pressmark: the answer ${incomplete}`);
  if (json) printJson({ status, ms, body: text });
  else print(`${status} in ${ms} ms\n${process.stdout.isTTY ? printableLines(text) : text}`);
  if (status < 200 || status > 299) process.exitCode = 1;
}
