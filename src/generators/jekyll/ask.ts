import { shellWord } from '../command-line.js';
import type { SiteFiles } from '../generator.js';
import { usesBundler } from './config.js';

/**
 * Jekyll reads its files as for a build, and renders and writes nothing. What plugins print goes to standard error.
 *
 * @param answer Ruby that makes a value of `site` and `documents`.
 * @param before Ruby that runs before the files are read.
 */
export function rubyCommand(files: SiteFiles, answer: string, before = ''): string {
  const script = `
require "jekyll"
require "json"
printed = $stdout.dup
$stdout.reopen($stderr)
Jekyll::PluginManager.require_from_bundler
site = Jekyll::Site.new(Jekyll.configuration("quiet" => true, "disable_disk_cache" => true))
${before}site.reset
site.read
root = Dir.pwd + "/"
documents = site.collections.values.flat_map(&:docs)
pages = documents.map { |one| { "path" => one.path.delete_prefix(root), "address" => one.url } }
printed.puts JSON.generate(${answer})
`;
  return `${usesBundler(files) ? 'bundle exec ruby' : 'ruby'} -e ${shellWord(script)}`;
}
