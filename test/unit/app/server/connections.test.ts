import { Duplex } from 'node:stream';
import test from 'ava';
import { pino } from 'pino';
import {
  type Candidate,
  createBoundedServer,
  mostDispensable,
} from '../../../../src/app/server/connections.js';

const NOW = 100_000;

/** A connection on which nothing has gone on for so many milliseconds. */
const candidate = (client: string, ageMs: number, isBeingAnswered = false): Candidate => ({
  client,
  since: NOW - ageMs,
  isBeingAnswered,
});

test('the connections that have been of no use for longest go first, and the many of one client before the older few of another; a request that is being processed keeps its own', (t) => {
  const candidates = [candidate('a', 10), candidate('a', 3_000), candidate('a', 200)];
  t.deepEqual(mostDispensable(candidates, NOW, 2), [candidate('a', 3_000), candidate('a', 200)]);
  const many = Array.from({ length: 50 }, (_, n) => candidate('many', 100 + n));
  const few = [candidate('few', 1_000), candidate('few', 2_000)];
  t.true(mostDispensable([...few, ...many], NOW, 50).every(({ client }) => client === 'many'));
  const busy = candidate('a', 25_000, true);
  t.deepEqual(mostDispensable([busy, candidate('a', 0)], NOW, 2), [candidate('a', 0)]);
});

test('a thousand connections stay open, and of those beyond them the log says once a minute that others were closed', (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const { server } = createBoundedServer(async () => undefined, log);
  const connect = () => {
    const socket = new Duplex({ read: () => undefined });
    server.emit('connection', socket);
    return socket;
  };
  const sockets = Array.from({ length: 1_000 }, connect);
  t.deepEqual(lines, []);
  sockets.push(...Array.from({ length: 30 }, connect));
  t.true(lines.length > 0 && lines.length < 30, `${lines.length} lines`);
  t.regex(lines[0] ?? '', /^too many connections/);
  t.true(sockets.filter(({ destroyed }) => !destroyed).length <= 1_000);
  t.false(sockets.at(-1)?.destroyed, 'a new one is accepted');
  for (const socket of sockets) socket.destroy();
});
