// Writes a value again and again, and says which writes have been promised, until it is killed.
import { openStorage } from '../../../src/host/storage.js';

const storage = openStorage('notes', process.argv[2] ?? '');
for (let n = 0; ; n++) {
  await storage.set('n', { n, text: String(n).repeat(20_000) });
  process.stdout.write(`${n}\n`);
}
