import { testExample } from './example.js';

const FILE = 'receiver.rb';

testExample({
  folder: 'ruby',
  command: () => ['ruby', FILE],
  mistakes: [
    {
      what: 'signs the body as JSON.generate writes it',
      edits: { [FILE]: [['"SHA256", SECRET, raw', '"SHA256", SECRET, JSON.generate(JSON.parse(raw))']] },
      first: 'signature-whitespace-changed',
      says: /Compute the signature over the raw bytes, before anything parses/,
    },
    {
      what: 'compares without a look at the lengths',
      edits: { [FILE]: [['OpenSSL.secure_compare', 'OpenSSL.fixed_length_secure_compare']] },
      first: 'signature-missing',
      says: /got {7}500.*read its log\..*constant-time comparisons fail without a value, and some of them on unequal lengths/s,
    },
    {
      what: 'demands version 3',
      edits: { [FILE]: [['.eql?(2)', '.eql?(3)']] },
      first: 'version-stated',
      says: /contract_version must be 2.*The receiver accepts contract_version 3\. Requests carry 2/s,
    },
    {
      what: 'answers before it has written',
      edits: {
        [FILE]: [
          ['{ |whole| Store.save(whole) }', '{ |whole| ($queue ||= []) << whole }'],
          [
            'slug && find_by_slug(slug)',
            'found = slug && find_by_slug(slug)\n    save($queue.shift) while $queue&.any?\n    found',
          ],
        ],
      },
      first: 'publish-then-lookup',
      says: /stored after the answer/,
    },
    {
      what: 'stores a redelivery again',
      edits: { [FILE]: [['Store.find_by_id(data["id"]) || store_new(data)', 'store_new(data)']] },
      first: 'publish-again-same-url',
      says: /Look data\.id up before you choose a slug/,
    },
    {
      what: 'compares URLs with their fragment',
      edits: {
        [FILE]: [
          [
            '"#{scheme}://#{host.downcase.delete_suffix(PORTS[scheme])}#{path.delete_suffix("/")}#{query}"',
            'url.chomp("/")',
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
            'refuse(409, "Article revision conflict") unless article["revision"] == data["base_revision_id"]',
            '',
          ],
        ],
      },
      first: 'update-stale-409',
      says: /not the current revision, answer 409 and change nothing/,
    },
    {
      what: 'clears the image where an update has none',
      edits: {
        [FILE]: [
          ['data["featured_image_url"] || article["featured_image_url"]', 'data["featured_image_url"]'],
        ],
      },
      first: 'page-image-kept',
      says: /Null keeps the image: never clear it/,
    },
    {
      what: 'escapes json_ld',
      edits: { [FILE]: [['#{article["json_ld"]}', '#{CGI.escapeHTML(article["json_ld"])}']] },
      first: 'page-json-ld',
      says: /Put json_ld into the page’s head verbatim; do not parse, escape or minify it/,
    },
    {
      what: 'has no limit for the body',
      edits: { [FILE]: [['MAX_BYTES = 1_000_000', 'MAX_BYTES = 100_000_000']] },
      first: 'too-large-413',
      says: /Count the bytes as they arrive, and answer 413/,
    },
  ],
});
