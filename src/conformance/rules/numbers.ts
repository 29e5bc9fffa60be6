/**
 * The ids of the rules in the order of their creation. A rule’s number is its place here, from 1, and is never reused:
 * those that are gone keep their places.
 */
const IN_ORDER = `
  reachable test-no-redirect endpoint-found signature-accepted request-accepted signature-missing
  signature-empty signature-other-secret signature-last-digit signature-first-digit signature-truncated
  signature-longer signature-not-hex signature-digits-then-rubbish signature-without-prefix
  signature-prefix-alone signature-other-algorithm signature-base64 signature-upper-case
  signature-body-changed signature-whitespace-changed signature-newline-added signature-of-empty-body
  raw-spacing raw-line-end raw-escapes raw-unicode raw-pieces raw-chunked header-names-any-case
  event-body-decides header-event-absent header-timestamp-absent header-contract-absent header-unknown
  content-type-charset test-200 test-received test-contract-version test-capabilities
  test-capabilities-known test-version-agrees test-again test-unknown-fields publish-accepted publish-url
  lookup-200 test-writes-nothing version-stated publish-no-redirect publish-200 publish-received publish-id
  publish-content-type publish-late-retry publish-moment-with-offset publish-empty-title
  publish-empty-fields publish-image-null publish-unusual-id publish-unsafe-slug publish-unknown-fields
  lookup-no-redirect lookup-received lookup-contract-version lookup-target-id lookup-target-url
  lookup-target-revision-id lookup-target-title lookup-target-content-html lookup-empty-title
  lookup-url-matches lookup-again content-item-comment content-same content-unicode content-entities
  content-verbatim content-template-signs content-front-matter-signs content-markup content-500-kb
  content-crlf content-white-space content-title publish-again-accepted publish-again-same-id
  publish-again-same-url publish-same-slug publish-then-lookup publish-id-is-lookup-id
  publish-again-writes-nothing update-200 update-content publish-again-after-update
  publish-same-slug-own-content publish-unusual-id-stored lookup-nothing-refused lookup-nothing-404
  error-shape-404 lookup-target-url-missing lookup-target-url-empty lookup-target-url-number
  lookup-version-missing lookup-version-3 lookup-version-text lookup-version-400 canonical-fragment
  canonical-no-slash canonical-one-slash canonical-slash-and-fragment canonical-host-case
  canonical-two-slashes canonical-query canonical-path-case canonical-scheme canonical-host canonical-port
  canonical-other-folder canonical-slug-beginning canonical-below canonical-dot-segments
  canonical-encoded-dots canonical-encoded-letter canonical-empty-query canonical-soft-hyphen
  canonical-full-width canonical-path-alone canonical-credentials json-cut-off json-empty json-no-json
  json-null json-array json-text json-invalid-utf8 event-missing event-unknown-refused event-unknown-400
  publish-data-missing publish-data-null publish-id-missing publish-id-empty publish-id-number
  publish-id-null publish-wrong-type publish-tags-null error-shape-401 error-shape-400
  lookup-not-acknowledged update-not-acknowledged update-no-redirect update-received update-contract-version
  update-revision-echoed update-title update-revision-stored update-keeps-id update-keeps-url
  update-inserts-nothing update-chain update-canonical-url update-null-image update-500-kb update-line-ends
  update-unknown-fields update-target-id-missing update-target-id-empty update-target-url-missing
  update-target-url-empty update-base-revision-id-missing update-base-revision-id-empty
  update-revision-id-missing update-revision-id-empty update-id-missing update-content-number
  update-title-null update-tags-text update-format-before-target update-version-missing update-version-3
  update-version-400 update-id-not-revision update-target-unknown update-target-404
  update-target-id-of-another update-target-url-of-another update-target-url-elsewhere
  update-id-before-retry update-target-before-retry update-target-before-base update-stale-409
  error-shape-409 update-retry-200 update-retry-applies-nothing update-unknown-base-409
  update-stale-changes-nothing update-old-retry-409 update-old-retry-changes-nothing concurrent-one-wins
  concurrent-others-409 concurrent-winner-stored update-seen-whole update-same-twice-at-once
  publish-at-once-accepted publish-at-once-one-article publish-at-once-others publish-at-once-same-slug
  publish-at-once-own-content unsigned-invalid-json unsigned-empty-body unsigned-unknown-event unsigned-test
  unsigned-lookup unsigned-update unsigned-publish unsigned-publish-without-id unsigned-redelivery
  unsigned-publish-writes-nothing unsigned-update-writes-nothing page-200 page-body page-item-comment
  page-tracking page-json-ld page-json-ld-in-head page-update page-update-replaces page-update-item-comment
  page-update-json-ld page-image-kept manual-edit-changes-revision manual-edit-is-kept
  manual-restart-keeps-articles manual-restart-keeps-ids too-large-413 too-large-chunked-413
  largest-accepted test-in-time publish-in-time lookup-in-time update-in-time test-answer-size
  publish-answer-size lookup-answer-size update-answer-size secret-not-exposed signature-not-exposed
  test-version-3 publish-again-200 publish-at-once-found update-id-empty update-field-number
  update-version-text
`;

const NUMBERS = new Map(
  IN_ORDER.trim()
    .split(/\s+/)
    .map((id, n) => [id, n + 1]),
);

/** The number of a rule, for reports and `--only`. @throws Error if the list lacks it. */
export function numberOf(id: string): number {
  const number = NUMBERS.get(id);
  if (number === undefined) throw new Error(`rule ${id} has no number: add it at the end of the list`);
  return number;
}
