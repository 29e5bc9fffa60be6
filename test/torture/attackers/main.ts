/**
 * All attackers at once, on the receiver at the port that is the first argument, until the parent process sends a
 * message. The answer to the message is what they did.
 */
import { once } from 'node:events';
import { chunkedBodies } from './chunked-bodies.js';
import { halfSentBodies } from './half-sent-bodies.js';
import { type Attacker, pipelinedReads, slowBodies, slowHeaders, slowReaders } from './held-connections.js';
import { malformedRequests } from './malformed-requests.js';

/** Each attack, and what it is for: the feed is the largest file that visitors can ask for. */
const ATTACKS: readonly (readonly [path: string, attack: Attacker])[] = [
  ['/feed.json', pipelinedReads],
  ['/feed.json', slowReaders],
  ['/webhook', slowHeaders],
  ['/webhook', slowBodies],
  ['/webhook', chunkedBodies],
  ['/webhook', halfSentBodies],
  ['/webhook', malformedRequests],
];

const port = Number(process.argv[2]);
const ending = new AbortController();
const attacks = Promise.all(
  ATTACKS.map(async ([path, attack]) => {
    const counts = await attack({ port, path }, ending.signal);
    return Object.entries(counts).map(([what, count]) => [`${attack.name} ${what}`, count] as const);
  }),
);
await Promise.race([once(process, 'message'), attacks]);
ending.abort();
process.send?.(Object.fromEntries((await attacks).flat()));
process.disconnect();
