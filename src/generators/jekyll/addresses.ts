import { shellWord } from '../command-line.js';
import type { AddressQuery, ListedPage, SiteFiles } from '../generator.js';
import { usesBundler } from './config.js';

/** Jekyll reads its files as for a build, and renders and writes nothing. What plugins print goes to standard error. */
const SCRIPT = `
require "jekyll"
require "json"
answer = $stdout.dup
$stdout.reopen($stderr)
Jekyll::PluginManager.require_from_bundler
site = Jekyll::Site.new(Jekyll.configuration("quiet" => true, "disable_disk_cache" => true))
site.reset
site.read
root = Dir.pwd + "/"
documents = site.collections.values.flat_map(&:docs)
answer.puts JSON.generate(documents.map { |one| { "path" => one.path.delete_prefix(root), "address" => one.url } })
`;

/** How Jekyll lists its posts, and the documents of its other collections. */
export function addressQuery(files: SiteFiles): AddressQuery {
  const ruby = usesBundler(files) ? 'bundle exec ruby' : 'ruby';
  return {
    command: `${ruby} -e ${shellWord(SCRIPT)}`,
    parse: (printed) => JSON.parse(printed) as ListedPage[],
  };
}
