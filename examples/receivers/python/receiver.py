"""A webhook receiver in Python, with the standard library alone.

    SIGNING_SECRET=… SITE_URL=https://example.com python3 receiver.py

An article is a JSON file in articles/, named <slug>.<hash of its id>.json: the names are the index.
"""

import fcntl
import hashlib
import hmac
import json
import logging
import os
import re
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SECRET = os.environ["SIGNING_SECRET"].encode()
SITE_URL = os.environ["SITE_URL"].rstrip("/")
ARTICLES = Path(os.environ.get("ARTICLES_DIR", "articles"))
PORT = int(os.environ.get("PORT", 8000))

MAX_BYTES = 1_000_000
CAPABILITIES = ["article.published", "article.lookup", "article.updated"]
TEXTS = ["title", "slug", "content_html", "content_markdown", "meta_description", "focus_keyword",
         "author", "published_at", "json_ld"]  # fmt: skip
REPLACED = ["content_html", "content_markdown", "meta_description", "focus_keyword", "tags", "author", "json_ld"]


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def require(condition, status, message):
    if not condition:
        raise Refused(status, message)


# --- One event: bytes and signature in, answer out ---


def receive(raw, signature):
    expected = "sha256=" + hmac.new(SECRET, raw, hashlib.sha256).hexdigest()
    require(hmac.compare_digest(expected.encode(), signature.encode("latin-1")), 401, "the signature does not match")
    try:
        envelope = json.loads(raw.decode())
        json.dumps(envelope, ensure_ascii=False).encode()  # fails for half a surrogate pair, which no file can hold
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON in UTF-8") from None
    require(isinstance(envelope, dict), 400, "the body must be an object")
    event, data = envelope.get("event"), envelope.get("data")
    require(isinstance(event, str) and event in HANDLERS, 400, "unsupported event")
    require(isinstance(data, dict), 400, "data must be an object")
    if event != "article.published":  # which is the same in all versions
        version = envelope.get("contract_version")
        require(type(version) is int and version == 2, 400, "contract_version must be 2")
    return {"received": True, **HANDLERS[event](data)}


def connection_tested(data):
    return {"contract_version": 3, "capabilities": CAPABILITIES}


def published(data):
    check_article(data)
    with lock():
        article = find_by_id(data["id"])
        if article is None:
            article = {
                "id": data["id"],
                "slug": free_slug(data["slug"]),
                "published_at": data["published_at"],
                "featured_image_url": None,
            }
            save(replaced(article, data, revision=data["id"]))
    return {"id": article["id"], "url": url_of(article)}


def looked_up(data):
    check_nonempty(data, "target_url")
    article = find_by_url(data["target_url"])
    require(article is not None, 404, "no article at this URL")
    target = {
        "id": article["id"],
        "url": url_of(article),
        "revision_id": article["revision"],
        "title": article["title"],
        "content_html": article["content_html"],
    }
    return {"contract_version": 3, "target": target}


def updated(data):
    check_article(data)
    check_nonempty(data, "target_id", "target_url", "base_revision_id", "revision_id")
    require(data["id"] == data["revision_id"], 400, "id must be revision_id")
    with lock():
        article = find_by_url(data["target_url"])
        require(article is not None and article["id"] == data["target_id"], 404, "no such article")
        if article["revision"] != data["revision_id"]:  # else it is a retry
            require(article["revision"] == data["base_revision_id"], 409, "Article revision conflict")
            save(replaced(article, data, revision=data["revision_id"]))
    return {"contract_version": 3, "revision_id": data["revision_id"]}


HANDLERS = {
    "webhook.test": connection_tested,
    "article.published": published,
    "article.lookup": looked_up,
    "article.updated": updated,
}


def check_nonempty(data, *names):
    for name in names:
        require(isinstance(data.get(name), str) and data[name], 400, f"{name} must be a nonempty text")


def check_article(data):
    check_nonempty(data, "id")
    for name in TEXTS:
        require(isinstance(data.get(name), str), 400, f"{name} must be a text")
    tags, image = data.get("tags"), data.get("featured_image_url", "")
    require(isinstance(tags, list) and all(isinstance(tag, str) for tag in tags), 400, "tags must be texts")
    require(image is None or isinstance(image, str), 400, "featured_image_url must be a text or null")


def replaced(article, data, revision):
    """The article with an event's content; it keeps its id and its slug."""
    article["revision"] = revision
    article["title"] = data["title"] or "Untitled"
    article.update({name: data[name] for name in REPLACED})
    if data["featured_image_url"] is not None:
        article["featured_image_url"] = data["featured_image_url"]
    return article


# --- URLs ---


def url_of(article):
    return f"{SITE_URL}/articles/{article['slug']}/"


def canonical(url):
    """Without the fragment and one slash at the end of the path. Path and query stay as they are written."""
    match = re.match(r"(https?)://([^/?#]+)([^?#]*)(\?[^#]*)?", url, re.IGNORECASE)
    if match is None:
        return ""
    scheme, host, path, query = match.groups(default="")
    host = host.lower().removesuffix(":443" if scheme.lower() == "https" else ":80")
    return f"{scheme.lower()}://{host}{path.removesuffix('/')}{query}"


def free_slug(suggested):
    safe = re.sub(r"[^a-z0-9]+", "-", suggested.lower())[:80].strip("-") or "article"
    slug, number = safe, 1
    while find_by_slug(slug):
        number += 1
        slug = f"{safe}-{number}"
    return slug


# --- The folder ---


@contextmanager
def lock():
    """One writer at a time, among threads and processes. Reading needs no lock: files are replaced whole."""
    with open(ARTICLES / ".lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def hash_of(id):
    return hashlib.sha256(id.encode()).hexdigest()


def first(pattern):
    path = next(ARTICLES.glob(pattern), None)
    return None if path is None else json.loads(path.read_text(encoding="utf-8"))


def find_by_id(id):
    return first(f"*.{hash_of(id)}.json")


def find_by_slug(slug):
    return first(f"{slug}.*.json")


def find_by_url(url):
    match = re.fullmatch(re.escape(canonical(SITE_URL)) + "/articles/([a-z0-9-]+)", canonical(url))
    return None if match is None else find_by_slug(match[1])


def save(article):
    """Returns when the article is on the disk: the file is synced and renamed, and the folder is synced."""
    new = ARTICLES / ".new"  # the lock sees to it that there is only one
    with open(new, "w", encoding="utf-8") as file:
        json.dump(article, file, ensure_ascii=False, indent=2)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, ARTICLES / f"{article['slug']}.{hash_of(article['id'])}.json")
    folder = os.open(ARTICLES, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


# --- HTTP ---


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self):
        try:
            body = self.read_body()
            require(self.path == "/webhook", 404, "the webhook is at /webhook")
            require(len(body) <= MAX_BYTES, 413, "the body is over 1,000,000 bytes")
            self.answer(200, receive(body, self.headers.get("X-Service-Signature", "")))
        except Refused as refused:
            self.answer(refused.status, {"error": str(refused)})
        except Exception:
            logging.exception("the event could not be handled")
            self.answer(500, {"error": "internal error"})

    def do_GET(self):
        article = find_by_url(SITE_URL + self.path)
        page = "Nothing here" if article is None else page_of(article)
        self.send(404 if article is None else 200, "text/html; charset=utf-8", page)

    def read_body(self):
        """The body as it came, and at most one byte more than is allowed."""
        most = MAX_BYTES + 1
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            length = max(0, int(self.headers.get("Content-Length", 0)))
            self.close_connection = length > most
            return self.rfile.read(min(length, most))
        self.close_connection = True
        body = b""
        while len(body) < most and (size := max(0, int(self.rfile.readline(100).split(b";")[0], 16))):
            body += self.rfile.read(min(size, most - len(body)))
            self.rfile.readline(100)
        return body

    def answer(self, status, body):
        self.send(status, "application/json", json.dumps(body, ensure_ascii=False))

    def send(self, status, media_type, text):
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def page_of(article):
    """json_ld and content_html are HTML, and stay as they came; everything else is text."""
    image = article["featured_image_url"]
    return f"""<!doctype html>
<html><head><meta charset="utf-8"><title>{escape(article["title"])}</title>
<meta name="description" content="{escape(article["meta_description"])}">
{article["json_ld"]}
</head><body><h1>{escape(article["title"])}</h1>
{f'<img src="{escape(image)}" alt="">' if image else ""}
{article["content_html"]}
</body></html>"""


if __name__ == "__main__":
    ARTICLES.mkdir(parents=True, exist_ok=True)
    print(f"Listening on http://localhost:{PORT}/webhook", flush=True)
    ThreadingHTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
