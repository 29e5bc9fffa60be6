import { testExample } from './example.js';

const FILE = 'receiver.php';

testExample({
  folder: 'php',
  command: (port) => ['env', 'PHP_CLI_SERVER_WORKERS=4', 'php', '-S', `127.0.0.1:${port}`, FILE],
  mistaken: (port) => ['php', '-S', `127.0.0.1:${port}`, FILE],
  mistakes: [
    {
      what: 'signs the body as json_encode writes it',
      edits: { [FILE]: [["'sha256', $raw, SECRET", "'sha256', json_encode(json_decode($raw)), SECRET"]] },
      first: 'signature-whitespace-changed',
      says: /Compute the signature over the raw bytes, before anything parses/,
    },
    {
      what: 'trims the body',
      edits: {
        [FILE]: [
          [
            "file_get_contents('php://input', length: MAX_BYTES + 1)",
            "trim(file_get_contents('php://input'))",
          ],
        ],
      },
      first: 'signature-newline-added',
      says: /before anything parses or trims them/,
    },
    {
      what: 'compares as many characters as were sent',
      edits: {
        [FILE]: [
          ['hash_equals($expected, $signature)', 'strncmp($expected, $signature, strlen($signature)) === 0'],
        ],
      },
      first: 'signature-missing',
      says: /got {7}200.*Answer 401 if the header is missing/s,
    },
    {
      what: 'finds headers in one case alone',
      edits: {
        [FILE]: [["$_SERVER['HTTP_X_SERVICE_SIGNATURE']", "getallheaders()['X-Service-Signature']"]],
      },
      first: 'header-names-any-case',
      says: /Ignore the case of header names/,
    },
    {
      what: 'fails at what is not JSON',
      edits: { [FILE]: [['catch (JsonException $error)', 'catch (TypeError $error)']] },
      first: 'json-cut-off',
      says: /got {7}500.*read its log\. Answer 400 if the verified body cannot be parsed/s,
    },
    {
      what: 'answers before it has written',
      edits: {
        [FILE]: [
          [
            '            save($article);',
            "            file_put_contents(ARTICLES . '/.queue', json_encode($article) . PHP_EOL, FILE_APPEND);",
          ],
          [
            'return preg_match("~^$ours/articles/([a-z0-9-]+)$~D", canonical($url), $parts) ? find_by_slug($parts[1]) : null;',
            `$found = preg_match("~^$ours/articles/([a-z0-9-]+)$~D", canonical($url), $parts) ? find_by_slug($parts[1]) : null;
    if (is_file(ARTICLES . '/.queue')) {
        array_map(fn ($line) => save(json_decode($line, true)), file(ARTICLES . '/.queue'));
        unlink(ARTICLES . '/.queue');
    }
    return $found;`,
          ],
        ],
      },
      first: 'publish-then-lookup',
      says: /stored after the answer/,
    },
    {
      what: 'stores a redelivery under a new id',
      edits: {
        [FILE]: [
          ["$article = find_by_id($data['id']);", "$article = null;\n        $data['id'] = uniqid();"],
        ],
      },
      first: 'publish-again-same-id',
      says: /Look data\.id up before you store anything/,
    },
    {
      what: 'strips all slashes of a URL and nothing else',
      edits: {
        [FILE]: [
          [
            "return \"$scheme://$host\" . preg_replace('~/$~D', '', $path) . ($parts[4] ?? '');",
            "return rtrim($url, '/');",
          ],
        ],
      },
      first: 'canonical-fragment',
      says: /Drop the fragment and one trailing slash/,
    },
    {
      what: 'ignores the base revision',
      edits: {
        [FILE]: [
          [
            "require_that($article['revision'] === $data['base_revision_id'], 409, 'Article revision conflict');",
            '',
          ],
        ],
      },
      first: 'update-stale-409',
      says: /not the current revision, answer 409 and change nothing/,
    },
    {
      what: 'escapes the content',
      edits: {
        [FILE]: [
          [
            "'content_html' => $article['content_html'],",
            "'content_html' => htmlspecialchars($article['content_html']),",
          ],
        ],
      },
      first: 'content-item-comment',
      says: /do not escape them/,
    },
  ],
});
