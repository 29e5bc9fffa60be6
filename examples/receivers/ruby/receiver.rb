# frozen_string_literal: true

# A webhook receiver in Ruby, with WEBrick (Debian: ruby-webrick; else: gem install webrick).
#
#     SIGNING_SECRET=… SITE_URL=https://example.com ruby receiver.rb
#
# An article is a JSON file in articles/, named <slug>.<hash of its id>.json: the names are the index.

require "cgi"
require "digest"
require "fileutils"
require "json"
require "openssl"
require "webrick"

SECRET = ENV.fetch("SIGNING_SECRET")
SITE_URL = ENV.fetch("SITE_URL").chomp("/")
ARTICLES = File.expand_path(ENV.fetch("ARTICLES_DIR", "articles"))
PORT = Integer(ENV.fetch("PORT", "8000"))
MAX_BYTES = 1_000_000

class Refused < StandardError
  attr_reader :status

  def initialize(status, message)
    super(message)
    @status = status
  end
end

# The folder of articles. Reading needs no lock: files are replaced whole.
module Store
  PORTS = { "http" => ":80", "https" => ":443" }.freeze

  module_function

  # One writer at a time, among threads and processes.
  def lock
    File.open(File.join(ARTICLES, ".lock"), "w") do |file|
      file.flock(File::LOCK_EX)
      yield
    end
  end

  def first(pattern)
    path = Dir.glob(pattern, base: ARTICLES).first
    path && JSON.parse(File.read(File.join(ARTICLES, path), encoding: "UTF-8"))
  end

  def find_by_id(id) = first("*.#{Digest::SHA256.hexdigest(id)}.json")

  def find_by_slug(slug) = first("#{slug}.*.json")

  def find_by_url(url)
    slug = canonical(url)[%r{\A#{Regexp.escape(canonical(SITE_URL))}/articles/([a-z0-9-]+)\z}, 1]
    slug && find_by_slug(slug)
  end

  def url_of(article) = "#{SITE_URL}/articles/#{article["slug"]}/"

  # Without the fragment and one slash at the end of the path. Path and query stay as they are written.
  def canonical(url)
    scheme, host, path, query = url.match(%r{\A(https?)://([^/?#]+)([^?#]*)(\?[^#]*)?}i)&.captures
    return "" if scheme.nil?

    scheme = scheme.downcase
    "#{scheme}://#{host.downcase.delete_suffix(PORTS[scheme])}#{path.delete_suffix("/")}#{query}"
  end

  def free_slug(suggested)
    safe = suggested.downcase.gsub(/[^a-z0-9]+/, "-")[0, 80].gsub(/\A-|-\z/, "")
    safe = "article" if safe.empty?
    return safe unless find_by_slug(safe)

    (2..).lazy.map { |number| "#{safe}-#{number}" }.find { |slug| !find_by_slug(slug) }
  end

  # Returns when the article is on the disk: the file is synced and renamed, and the folder is synced.
  def save(article)
    new = File.join(ARTICLES, ".new") # the lock sees to it that there is only one
    File.open(new, "w") do |file|
      file.write(JSON.pretty_generate(article))
      file.fsync
    end
    name = "#{article["slug"]}.#{Digest::SHA256.hexdigest(article["id"])}.json"
    File.rename(new, File.join(ARTICLES, name))
    File.open(ARTICLES, &:fsync)
  end
end

# Events: bytes and signature in, answer out.
module Events
  TEXTS = %w[title slug content_html content_markdown meta_description focus_keyword author published_at
             json_ld].freeze
  REPLACED = %w[content_html content_markdown meta_description focus_keyword tags author json_ld].freeze

  module_function

  def receive(raw, signature)
    expected = "sha256=#{OpenSSL::HMAC.hexdigest("SHA256", SECRET, raw)}"
    refuse(401, "the signature does not match") unless OpenSSL.secure_compare(expected, signature)
    envelope = parse(raw)
    data = envelope["data"]
    refuse(400, "data must be an object") unless data.is_a?(Hash)
    # A publish is the same in all versions.
    unless envelope["event"] == "article.published" || envelope["contract_version"].eql?(2)
      refuse(400, "contract_version must be 2")
    end
    { received: true, **handle(envelope["event"], data) }
  end

  def parse(raw)
    envelope = JSON.parse(raw.dup.force_encoding("UTF-8"))
    JSON.generate(envelope) # raises for bytes that are not UTF-8, and for half a surrogate pair
    envelope.is_a?(Hash) ? envelope : refuse(400, "the body must be an object")
  rescue JSON::JSONError, EncodingError => e
    refuse(400, "the body is not JSON in UTF-8: #{e.class}")
  end

  def handle(event, data)
    case event
    when "webhook.test"
      { contract_version: 3, capabilities: %w[article.published article.lookup article.updated] }
    when "article.published" then published(data)
    when "article.lookup" then looked_up(data)
    when "article.updated" then updated(data)
    else refuse(400, "unsupported event")
    end
  end

  def published(data)
    check_article(data)
    article = Store.lock { Store.find_by_id(data["id"]) || store_new(data) }
    { id: article["id"], url: Store.url_of(article) }
  end

  def store_new(data)
    article = { "id" => data["id"], "slug" => Store.free_slug(data["slug"]), "published_at" => data["published_at"] }
    replaced(article, data, revision: data["id"]).tap { |whole| Store.save(whole) }
  end

  def looked_up(data)
    check_nonempty(data, "target_url")
    article = Store.find_by_url(data["target_url"]) || refuse(404, "no article at this URL")
    target = article.slice("id", "title", "content_html")
    target.update("url" => Store.url_of(article), "revision_id" => article["revision"])
    { contract_version: 3, target: }
  end

  def updated(data)
    check_article(data)
    check_nonempty(data, "target_id", "target_url", "base_revision_id", "revision_id")
    refuse(400, "id must be revision_id") unless data["id"] == data["revision_id"]
    Store.lock do
      article = Store.find_by_url(data["target_url"])
      refuse(404, "no such article") unless article && article["id"] == data["target_id"]
      next if article["revision"] == data["revision_id"] # a retry

      refuse(409, "Article revision conflict") unless article["revision"] == data["base_revision_id"]
      Store.save(replaced(article, data, revision: data["revision_id"]))
    end
    { contract_version: 3, revision_id: data["revision_id"] }
  end

  # The article with an event's content; it keeps its id and its slug.
  def replaced(article, data, revision:)
    title = data["title"].empty? ? "Untitled" : data["title"]
    image = data["featured_image_url"] || article["featured_image_url"]
    article.merge(data.slice(*REPLACED), "revision" => revision, "title" => title, "featured_image_url" => image)
  end

  def check_nonempty(data, *names)
    names.each { |name| refuse(400, "#{name} must be a nonempty text") if !data[name].is_a?(String) || data[name].empty? }
  end

  def check_article(data)
    check_nonempty(data, "id")
    TEXTS.each { |name| refuse(400, "#{name} must be a text") unless data[name].is_a?(String) }
    tags, image = data.values_at("tags", "featured_image_url")
    refuse(400, "tags must be texts") unless tags.is_a?(Array) && tags.all?(String)
    refuse(400, "featured_image_url must be a text or null") unless image.nil? || image.is_a?(String)
  end

  def refuse(status, message) = raise(Refused.new(status, message))
end

# json_ld and content_html are HTML, and stay as they came; everything else is text.
def page_of(article)
  title, description, image = article.values_at("title", "meta_description", "featured_image_url").map { CGI.escapeHTML(_1.to_s) }
  <<~HTML
    <!doctype html>
    <html><head><meta charset="utf-8"><title>#{title}</title>
    <meta name="description" content="#{description}">
    #{article["json_ld"]}
    </head><body><h1>#{title}</h1>
    #{%(<img src="#{image}" alt="">) unless image.empty?}
    #{article["content_html"]}
    </body></html>
  HTML
end

# The body as it came, no more of it than is allowed.
def read_body(request)
  raw = String.new(encoding: Encoding::BINARY)
  request.body do |piece|
    raw << piece
    raise Refused.new(413, "the body is over 1,000,000 bytes") if raw.bytesize > MAX_BYTES
  end
  raw
end

def answer_to(request)
  [200, Events.receive(read_body(request), request["X-Service-Signature"].to_s)]
rescue Refused => e
  [e.status, { error: e.message }]
rescue SystemCallError, IOError => e
  warn e.full_message
  [500, { error: "internal error" }]
end

def serve_webhook(request, response)
  response.status, answer = answer_to(request)
  response.content_type = "application/json"
  response.keep_alive = false if response.status == 413 # the rest of the body was not read
  response.body = JSON.generate(answer)
end

def serve_page(request, response)
  article = Store.find_by_url(SITE_URL + request.unparsed_uri)
  response.status = article ? 200 : 404
  response.content_type = "text/html; charset=utf-8"
  response.body = article ? page_of(article) : "Nothing here"
end

FileUtils.mkdir_p(ARTICLES)
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: PORT, AccessLog: [])
server.mount_proc("/webhook") { |request, response| serve_webhook(request, response) }
server.mount_proc("/articles") { |request, response| serve_page(request, response) }
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
server.start
