<?php

/**
 * A webhook receiver in PHP 8.1 or newer, in one file.
 *
 *     SIGNING_SECRET=… SITE_URL=https://example.com php -S localhost:8000 receiver.php
 *
 * An article is a JSON file in articles/, named <slug>.<hash of its id>.json: the names are the index.
 */

declare(strict_types=1);

const MAX_BYTES = 1_000_000;
const TEXTS = [
    'title', 'slug', 'content_html', 'content_markdown', 'meta_description', 'focus_keyword', 'author',
    'published_at', 'json_ld',
];
const REPLACED = [
    'content_html', 'content_markdown', 'meta_description', 'focus_keyword', 'tags', 'author', 'json_ld',
];
const JSON = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;

// What goes wrong must not end in a 200, as it does where PHP displays its errors.
ini_set('display_errors', '0');
set_error_handler(fn ($level, $message, $file, $line) => throw new ErrorException($message, 0, $level, $file, $line));

function setting(string $name): string
{
    return getenv($name) ?: throw new RuntimeException("$name is not set");
}

define('SECRET', setting('SIGNING_SECRET'));
define('SITE_URL', rtrim(setting('SITE_URL'), '/'));
define('ARTICLES', getenv('ARTICLES_DIR') ?: __DIR__ . '/articles');

final class Refused extends Exception
{
    public function __construct(public readonly int $status, string $message)
    {
        parent::__construct($message);
    }
}

function require_that(bool $condition, int $status, string $message): void
{
    $condition || throw new Refused($status, $message);
}

// One event: bytes and signature in, answer out.

function receive(string $raw, string $signature): array
{
    $expected = 'sha256=' . hash_hmac('sha256', $raw, SECRET);
    require_that(hash_equals($expected, $signature), 401, 'the signature does not match');
    try {
        $envelope = json_decode($raw, true, flags: JSON_THROW_ON_ERROR);
    } catch (JsonException $error) {
        throw new Refused(400, "the body is not JSON in UTF-8: {$error->getMessage()}");
    }
    require_that(is_array($envelope), 400, 'the body must be an object');
    $data = $envelope['data'] ?? null;
    require_that(is_array($data), 400, 'data must be an object');
    $event = $envelope['event'] ?? null;
    if ($event !== 'article.published') { // which is the same in all versions
        require_that(($envelope['contract_version'] ?? null) === 2, 400, 'contract_version must be 2');
    }
    return ['received' => true] + match ($event) {
        'webhook.test' => tested(),
        'article.published' => published($data),
        'article.lookup' => looked_up($data),
        'article.updated' => updated($data),
        default => throw new Refused(400, 'unsupported event'),
    };
}

function tested(): array
{
    $capabilities = ['article.published', 'article.lookup', 'article.updated'];
    return ['contract_version' => 3, 'capabilities' => $capabilities];
}

function published(array $data): array
{
    check_article($data);
    return locked(function () use ($data) {
        $article = find_by_id($data['id']);
        if ($article === null) {
            $article = replaced([
                'id' => $data['id'],
                'slug' => free_slug($data['slug']),
                'published_at' => $data['published_at'],
                'featured_image_url' => null,
            ], $data, revision: $data['id']);
            save($article);
        }
        return ['id' => $article['id'], 'url' => url_of($article)];
    });
}

function looked_up(array $data): array
{
    check_nonempty($data, 'target_url');
    $article = find_by_url($data['target_url']) ?? throw new Refused(404, 'no article at this URL');
    $target = [
        'id' => $article['id'],
        'url' => url_of($article),
        'revision_id' => $article['revision'],
        'title' => $article['title'],
        'content_html' => $article['content_html'],
    ];
    return ['contract_version' => 3, 'target' => $target];
}

function updated(array $data): array
{
    check_article($data);
    check_nonempty($data, 'target_id', 'target_url', 'base_revision_id', 'revision_id');
    require_that($data['id'] === $data['revision_id'], 400, 'id must be revision_id');
    return locked(function () use ($data) {
        $article = find_by_url($data['target_url']);
        require_that($article !== null && $article['id'] === $data['target_id'], 404, 'no such article');
        if ($article['revision'] !== $data['revision_id']) { // else it is a retry
            require_that($article['revision'] === $data['base_revision_id'], 409, 'Article revision conflict');
            save(replaced($article, $data, revision: $data['revision_id']));
        }
        return ['contract_version' => 3, 'revision_id' => $data['revision_id']];
    });
}

function check_nonempty(array $data, string ...$names): void
{
    foreach ($names as $name) {
        require_that(is_string($data[$name] ?? null) && $data[$name] !== '', 400, "$name must be a nonempty text");
    }
}

function check_article(array $data): void
{
    check_nonempty($data, 'id');
    foreach (TEXTS as $name) {
        require_that(is_string($data[$name] ?? null), 400, "$name must be a text");
    }
    $tags = $data['tags'] ?? null;
    require_that(is_array($tags) && array_is_list($tags) && $tags === array_filter($tags, is_string(...)), 400, 'tags must be texts');
    $image = $data['featured_image_url'] ?? null;
    require_that($image === null || is_string($image), 400, 'featured_image_url must be a text or null');
}

/** The article with an event's content; it keeps its id and its slug. */
function replaced(array $article, array $data, string $revision): array
{
    $content = array_intersect_key($data, array_flip(REPLACED));
    $title = $data['title'] === '' ? 'Untitled' : $data['title'];
    $image = $data['featured_image_url'] ?? $article['featured_image_url'];
    return ['revision' => $revision, 'title' => $title, 'featured_image_url' => $image] + $content + $article;
}

// URLs.

function url_of(array $article): string
{
    return SITE_URL . "/articles/{$article['slug']}/";
}

/** Without the fragment and one slash at the end of the path. Path and query stay as they are written. */
function canonical(string $url): string
{
    if (!preg_match('~^(https?)://([^/?#]+)([^?#]*)(\?[^#]*)?~i', $url, $parts)) {
        return '';
    }
    [, $scheme, $host, $path] = $parts;
    $scheme = strtolower($scheme);
    $host = preg_replace($scheme === 'https' ? '/:443$/D' : '/:80$/D', '', strtolower($host));
    return "$scheme://$host" . preg_replace('~/$~D', '', $path) . ($parts[4] ?? '');
}

function free_slug(string $suggested): string
{
    $safe = trim(substr(preg_replace('/[^a-z0-9]+/', '-', strtolower($suggested)), 0, 80), '-') ?: 'article';
    for ($slug = $safe, $number = 2; find_by_slug($slug) !== null; $number++) {
        $slug = "$safe-$number";
    }
    return $slug;
}

// The folder.

/** One writer at a time. Reading needs no lock: files are replaced whole. */
function locked(callable $work): array
{
    $lock = fopen(ARTICLES . '/.lock', 'c');
    flock($lock, LOCK_EX) || throw new RuntimeException('the folder cannot be locked');
    try {
        return $work();
    } finally {
        fclose($lock);
    }
}

function first(string $pattern): ?array
{
    $paths = glob(ARTICLES . "/$pattern");
    return $paths ? json_decode(file_get_contents($paths[0]), true, flags: JSON_THROW_ON_ERROR) : null;
}

function find_by_id(string $id): ?array
{
    return first('*.' . hash('sha256', $id) . '.json');
}

function find_by_slug(string $slug): ?array
{
    return first("$slug.*.json");
}

function find_by_url(string $url): ?array
{
    $ours = preg_quote(canonical(SITE_URL), '~');
    return preg_match("~^$ours/articles/([a-z0-9-]+)$~D", canonical($url), $parts) ? find_by_slug($parts[1]) : null;
}

/** Returns when the article is on the disk: the file is synced and renamed, and the folder is synced. */
function save(array $article): void
{
    $new = ARTICLES . '/.new'; // the lock sees to it that there is only one
    $text = json_encode($article, JSON | JSON_PRETTY_PRINT);
    $file = fopen($new, 'w');
    fwrite($file, $text) === strlen($text) && fsync($file) && fclose($file)
        || throw new RuntimeException('the article could not be written');
    rename($new, ARTICLES . "/{$article['slug']}." . hash('sha256', $article['id']) . '.json');
    fsync(fopen(ARTICLES, 'r')) || throw new RuntimeException('the folder could not be synced');
}

/** json_ld and content_html are HTML, and stay as they came; everything else is text. */
function page_of(array $article): string
{
    $text = fn (string $name) => htmlspecialchars($article[$name] ?? '');
    $image = $article['featured_image_url'] ? "<img src=\"{$text('featured_image_url')}\" alt=\"\">" : '';
    return <<<HTML
        <!doctype html>
        <html><head><meta charset="utf-8"><title>{$text('title')}</title>
        <meta name="description" content="{$text('meta_description')}">
        {$article['json_ld']}
        </head><body><h1>{$text('title')}</h1>
        $image
        {$article['content_html']}
        </body></html>
        HTML;
}

// HTTP.

function answer(int $status, array $body): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($body, JSON);
}

is_dir(ARTICLES) || mkdir(ARTICLES, recursive: true);

if ($_SERVER['REQUEST_METHOD'] === 'GET') {
    $article = find_by_url(SITE_URL . $_SERVER['REQUEST_URI']);
    http_response_code($article ? 200 : 404);
    echo $article ? page_of($article) : 'Nothing here';
    return;
}
try {
    $raw = file_get_contents('php://input', length: MAX_BYTES + 1);
    require_that(strlen($raw) <= MAX_BYTES, 413, 'the body is over 1,000,000 bytes');
    answer(200, receive($raw, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? ''));
} catch (Refused $refused) {
    answer($refused->status, ['error' => $refused->getMessage()]);
} catch (Throwable $error) {
    error_log((string) $error);
    answer(500, ['error' => 'internal error']);
}
