import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { copyExample, type Mistake, testExample } from './example.js';

const MISTAKES: readonly Mistake[] = [
  {
    what: 'signs the body as json.Marshal writes it',
    edits: {
      'receiver.go': [
        [
          'mac.Write(raw)',
          'var parsed map[string]any\n\tjson.Unmarshal(raw, &parsed)\n\tagain, _ := json.Marshal(parsed)\n\tmac.Write(again)',
        ],
      ],
    },
    first: 'signature-accepted',
    says: /the parsed body with its keys sorted.*io\.ReadAll\(r\.Body\)/,
  },
  {
    what: 'is registered with a slash after its path',
    edits: { 'main.go': [['"/webhook"', '"/webhook/"']] },
    first: 'test-no-redirect',
    says: /301.*\/webhook\/.*Register the final URL, with its real scheme and trailing slash/s,
  },
  {
    what: 'parses the body before it verifies the signature',
    edits: {
      'receiver.go': [
        [
          'mac := hmac.New',
          'if !json.Valid(raw) {\n\t\treturn nil, invalid("no JSON")\n\t}\n\tmac := hmac.New',
        ],
      ],
    },
    first: 'unsigned-invalid-json',
    says: /Verify the signature before you read the body/,
  },
  {
    what: 'answers before it has written',
    edits: {
      'store.go': [
        ['sync.Mutex', 'sync.Mutex\n\tqueue []*Article'],
        ['return article, s.save(article)', 's.queue = append(s.queue, article)\n\treturn article, nil'],
        [
          '	start := canonical',
          '	defer func() {\n\t\tfor _, article := range s.queue {\n\t\t\ts.save(article)\n\t\t}\n\t\ts.queue = nil\n\t}()\n\tstart := canonical',
        ],
      ],
    },
    first: 'publish-then-lookup',
    says: /stored after the answer/,
  },
  {
    what: 'uses a field that is not there',
    edits: {
      'receiver.go': [
        ['return invalid("a field of the article is missing or null")', 'continue'],
        ['*c.ID == "" || strings.ContainsRune(*c.ID, utf8.RuneError) || ', ''],
        ['	"strings"\n', ''],
      ],
    },
    first: 'publish-id-missing',
    says: /got {7}no answer.*Check the verified payload before you use it/s,
  },
  {
    what: 'replaces what is not UTF-8',
    edits: { 'receiver.go': [['!utf8.Valid(raw)', '!utf8.ValidString("")']] },
    first: 'json-invalid-utf8',
    says: /strict UTF-8, and answer 400/,
  },
  {
    what: 'ignores the base revision',
    edits: {
      'store.go': [
        [
          '	case article.Revision != data.BaseRevisionID:\n\t\treturn refused{http.StatusConflict, "Article revision conflict"}\n',
          '',
        ],
      ],
    },
    first: 'update-stale-409',
    says: /not the current revision, answer 409 and change nothing/,
  },
  {
    what: 'refuses a retry',
    edits: {
      'store.go': [['	case article.Revision == data.RevisionID:\n\t\treturn nil // a retry\n', '']],
    },
    first: 'update-retry-200',
    says: /before you compare base_revision_id/,
  },
  {
    what: 'escapes the content',
    edits: {
      'receiver.go': [
        ['"encoding/json"', '"encoding/json"\n\t"html"'],
        ['"content_html": article.ContentHTML', '"content_html": html.EscapeString(*article.ContentHTML)'],
      ],
    },
    first: 'content-item-comment',
    says: /do not escape them/,
  },
  {
    what: 'has no limit for the body',
    edits: { 'main.go': [['http.MaxBytesReader(w, request.Body, maxBytes)', 'request.Body']] },
    first: 'too-large-413',
    says: /Count the bytes as they arrive, and answer 413/,
  },
];

/** Builds the program in a folder. */
function build(dir: string): string {
  // Without what a debugger needs, which takes half of the time.
  const args = ['build', '-ldflags=-s -w', '-o', 'receiver', '.'];
  execFileSync('go', args, { cwd: dir, env: { ...process.env, GOTOOLCHAIN: 'local' } });
  return join(dir, 'receiver');
}

const home = makeTempDir();
test.after.always(() => removeTempDir(home));
let program: string | undefined;

/** One program with all the mistakes, each in a package of its own: to build ten takes ten times as long. */
function buildMistakes(): string {
  const names = MISTAKES.map(({ edits }, index) => {
    const name = `mistake${index}`;
    copyExample('go', join(home, name), edits);
    for (const file of fs.readdirSync(join(home, name)).filter((one) => one.endsWith('.go'))) {
      const path = join(home, name, file);
      const text = fs.readFileSync(path, 'utf8').replace(/^package main$/m, `package ${name}`);
      fs.writeFileSync(path, text.replace(/^func main\(\)/m, 'func Main()'));
    }
    fs.renameSync(join(home, name, 'go.mod'), join(home, 'go.mod'));
    return name;
  });
  const imports = names.map((name) => `import "receiver/${name}"\n`).join('');
  const cases = names.map((name, index) => `\tcase "${index}":\n\t\t${name}.Main()\n`).join('');
  const main = `package main\n\nimport "os"\n${imports}\nfunc main() {\n\tswitch os.Args[1] {\n${cases}\t}\n}\n`;
  fs.writeFileSync(join(home, 'main.go'), main);
  return build(home);
}

testExample({
  folder: 'go',
  command: (_, dir) => [build(dir)],
  mistaken: (_, __, mistake) => {
    program ??= buildMistakes();
    return [program, String(MISTAKES.indexOf(mistake))];
  },
  mistakes: MISTAKES,
});
