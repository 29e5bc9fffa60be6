import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { tempDir } from '../support/temp-dir.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGE = fs.readFileSync(join(ROOT, 'docs/vectors.md'), 'utf8');

interface Language {
  readonly name: string;
  readonly test: string;
  readonly receiver: string;
  /** A function that verifies a signature, as it is written there. */
  readonly code: string;
  /** The same with a mistake in it, which the vectors must find. */
  readonly mistake: readonly [right: string, wrong: string];
  readonly command: readonly [string, ...string[]];
  readonly files?: Readonly<Record<string, string>>;
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'python',
    test: 'test_signatures.py',
    receiver: 'receiver.py',
    code: `import hashlib, hmac
def is_signed(body, header, secret):
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (header or "").encode())
`,
    mistake: ['"sha256=" + ', ''],
    command: ['/usr/bin/pytest-3', '-q'],
  },
  {
    name: 'php',
    test: 'SignaturesTest.php',
    receiver: 'receiver.php',
    code: `<?php
function is_signed(string $body, ?string $header, string $secret): bool {
    return hash_equals('sha256=' . hash_hmac('sha256', $body, $secret), $header ?? '');
}
`,
    mistake: ['$body, $secret', 'trim($body), $secret'],
    command: ['phpunit', 'SignaturesTest.php'],
  },
  {
    name: 'go',
    test: 'receiver_test.go',
    receiver: 'receiver.go',
    code: `package main

import ("crypto/hmac"; "crypto/sha256"; "encoding/hex")

func IsSigned(body []byte, header, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal([]byte("sha256="+hex.EncodeToString(mac.Sum(nil))), []byte(header))
}

func main() {}
`,
    mistake: ['[]byte(secret)', '[]byte(secret[:8])'],
    command: ['go', 'test', './...'],
    files: { 'go.mod': 'module receiver\n\ngo 1.19\n' },
  },
];

for (const { name, test: testFile, receiver, code, mistake, command, files = {} } of LANGUAGES)
  test(`the test of the vectors page in ${name} passes for a right receiver, and fails for one with a mistake`, async (t) => {
    const dir = tempDir(t);
    const block = new RegExp(`\`\`\`${name}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1] ?? '';
    t.true(block.includes(testFile));
    for (const [path, text] of Object.entries({ ...files, [testFile]: block }))
      fs.writeFileSync(join(dir, path), text);
    fs.cpSync(join(ROOT, 'vectors'), join(dir, 'vectors'), { recursive: true });
    const run = (text: string) => {
      fs.writeFileSync(join(dir, receiver), text);
      const [program, ...args] = command;
      const env = { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
      return promisify(execFile)(program, args, { cwd: dir, env });
    };
    await t.notThrowsAsync(run(code));
    t.true(code.includes(mistake[0]));
    await t.throwsAsync(run(code.replace(...mistake)), { message: /Command failed/ });
  });
