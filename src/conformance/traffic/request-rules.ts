import { rulesIn } from '../rule-list.js';

const LIST = `
# Authentication, 2
1 signature: X-Service-Signature is sha256= and the HMAC-SHA256 of the raw body.
  Serialize the body once, sign the bytes with the secret of the webhook, and send the same bytes.

# Authentication, 4
2 signature-lower-case: The signature’s hex digits are in lower case.
  Write the digits in lower case.

# Endpoints
3 post: Every event is POSTed.
  Send every event with POST.

# Request headers
4 content-type: Content-Type is application/json.
  Send Content-Type: application/json.
5 timestamp-header: X-Service-Timestamp is the time of sending in seconds.
  Send the seconds since 1970 as digits, at each attempt the current ones.

# Request envelope
6 payload: The body is JSON with every field of its event.
  Send every key of the article; only featured_image_url can be null.
7 compact: The JSON is compact.
  Serialize without white space between the values.
8 publish-without-version: article.published carries no contract_version.
  Leave the field out on article.published.

# Request headers
9 event-header: X-Service-Event is the body’s event.
  Take the header from the same value as the body’s event.
10 contract-header: X-Service-Contract is 2 on test, lookup and update, and absent on a publish.
  Send X-Service-Contract: 2 with every body that has contract_version 2, and with no other.

# Article
11 published-at: published_at equals the timestamp.
  Give data.published_at and timestamp the same text.

# article.updated data
12 revision-is-id: revision_id of an update equals its data.id.
  Give data.revision_id and data.id the id of the refresh draft.

# Body additions
13 item-comment: content_html of a new article ends with the item comment.
  End content_html with <!-- svc:item:<id> -->.

# Errors
14 body-size (should): The body has at most 1,000,000 bytes.
  Refuse the article before it is sent: receivers may answer 413.
`;

/** The rules about each request of a service. */
export const REQUEST_RULES = rulesIn(LIST);
