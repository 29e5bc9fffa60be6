import { testExample } from './example.js';

testExample({
  folder: 'python',
  command: () => ['python3', 'receiver.py'],
  mistakes: [
    {
      what: 'signs the body as json.dumps writes it',
      edits: { 'receiver.py': [['(SECRET, raw,', '(SECRET, json.dumps(json.loads(raw)).encode(),']] },
      first: 'signature-accepted',
      says: /made of the body as Python’s json\.dumps writes it.*request\.get_data/,
    },
    {
      what: 'parses the body before it verifies the signature',
      edits: {
        'receiver.py': [
          [
            '    expected = ',
            '    try:\n        json.loads(raw)\n    except ValueError:\n        raise Refused(400, "no JSON") from None\n    expected = ',
          ],
        ],
      },
      first: 'unsigned-invalid-json',
      says: /Verify the signature before you read the body/,
    },
    {
      what: 'fails where the header is missing',
      edits: { 'receiver.py': [['("X-Service-Signature", "")', '("X-Service-Signature")']] },
      first: 'signature-missing',
      says: /got {7}500.*read its log\. Answer 401 if the header is missing/s,
    },
    {
      what: 'answers before it has written',
      edits: {
        'receiver.py': [
          ['CAPABILITIES = [', 'QUEUE = []\nCAPABILITIES = ['],
          [
            'save(replaced(article, data, revision=data["id"]))',
            'QUEUE.append(replaced(article, data, revision=data["id"]))',
          ],
          [
            'return None if match is None else find_by_slug(match[1])',
            'found = match and find_by_slug(match[1])\n    while QUEUE:\n        save(QUEUE.pop())\n    return found',
          ],
        ],
      },
      first: 'publish-then-lookup',
      says: /stored after the answer/,
    },
    {
      what: 'stores a redelivery under a new id',
      edits: {
        'receiver.py': [
          ['article = find_by_id(data["id"])', 'article, data["id"] = None, os.urandom(8).hex()'],
        ],
      },
      first: 'publish-again-same-id',
      says: /Look data\.id up before you store anything/,
    },
    {
      what: 'compares URLs with their fragment',
      edits: {
        'receiver.py': [
          [
            'return f"{scheme.lower()}://{host}{path.removesuffix(\'/\')}{query}"',
            'return url.removesuffix("/")',
          ],
        ],
      },
      first: 'canonical-fragment',
      says: /Drop the fragment and one trailing slash/,
    },
    {
      what: 'ignores the base revision',
      edits: {
        'receiver.py': [
          [
            'require(article["revision"] == data["base_revision_id"], 409, "Article revision conflict")',
            'pass',
          ],
        ],
      },
      first: 'update-stale-409',
      says: /not the current revision, answer 409 and change nothing/,
    },
    {
      what: 'escapes the content',
      edits: {
        'receiver.py': [
          ['"content_html": article["content_html"],', '"content_html": escape(article["content_html"]),'],
        ],
      },
      first: 'content-item-comment',
      says: /do not escape them/,
    },
    {
      what: 'decodes what is not UTF-8',
      edits: { 'receiver.py': [['raw.decode()', 'raw.decode(errors="replace")']] },
      first: 'json-invalid-utf8',
      says: /strict UTF-8, and answer 400/,
    },
    {
      what: 'has no limit for the body',
      edits: { 'receiver.py': [['MAX_BYTES = 1_000_000', 'MAX_BYTES = 100_000_000']] },
      first: 'too-large-413',
      says: /Count the bytes as they arrive, and answer 413/,
    },
  ],
});
