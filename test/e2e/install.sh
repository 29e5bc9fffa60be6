#!/usr/bin/env bash
# Sees to it that the programs the end-to-end tests need are there: installs Debian's packages where it may,
# else fails and names what is missing. Packages from npm go into the folders of test/e2e/tools, each with a lockfile:
# the generators, or with an argument what one command alone needs.
set -euo pipefail

case "${1:-}" in
  fonts) folders=() ;;
  lighthouse) folders=(lighthouse) ;;
  node24) folders=(node24) ;;
  slow-sites) folders=(node24 . docusaurus nuxt-content) ;;
  *) folders=(node24 . astro-5 astro-newest hexo vitepress next) ;;
esac
registry=$(npm config get registry)
installing=()
for folder in "${folders[@]}"; do
  tools="$(dirname "$0")/tools/$folder"
  # npm writes this file when an installation is complete.
  [ "$tools/node_modules/.package-lock.json" -nt "$tools/package-lock.json" ] && continue
  # The lock files name no registry, so npm would ask it for the address of each package first, which takes twice as long.
  # npm prefers this copy, which has the addresses.
  node - "$tools" "$registry" <<'END'
const { readFileSync, writeFileSync } = require('node:fs');
const [, , folder, given] = process.argv;
const registry = given.replace(/\/*$/, '/');
const lock = JSON.parse(readFileSync(`${folder}/package-lock.json`, 'utf8'));
for (const [path, entry] of Object.entries(lock.packages)) {
  const name = entry.name ?? path.split('node_modules/').at(-1);
  if (entry.integrity) entry.resolved ??= `${registry}${name}/-/${name.split('/').at(-1)}-${entry.version}.tgz`;
}
writeFileSync(`${folder}/npm-shrinkwrap.json`, JSON.stringify(lock));
END
  # Not `npm ci`, which fails where a registry lacks a package of another platform. Node.js alone needs its script.
  scripts=$([ "$folder" = node24 ] || echo --ignore-scripts)
  install=(npm install $scripts --no-save --silent --no-audit --no-fund --prefix "$tools")
  # A registry may have its packages at other addresses.
  { "${install[@]}" || { rm "$tools/npm-shrinkwrap.json" && "${install[@]}"; }; } &
  installing+=($!)
done
for process in "${installing[@]}"; do wait "$process"; done
[ "${1:-}" = node24 ] && exit 0

declare -A package=([chromium-headless-shell]=chromium-headless-shell [python3]=python3 [strace]=strace [xmllint]=libxml2-utils [nginx]=nginx [caddy]=caddy [systemd-analyze]=systemd)
package[fcgiwrap]=fcgiwrap
package[/usr/bin/pytest-3]=python3-pytest
package[phpunit]=phpunit
package[go]=golang-go
package[php]=php-cli
package[ruby]=ruby
package[/var/lib/dpkg/info/ruby-webrick.list]=ruby-webrick
package[hugo]=hugo
package[jekyll]=jekyll
package[ip]=iproute2
package[git-lfs]=git-lfs
# The pictures of the README show the fonts that most readers see, or their likes: `install.sh fonts`.
if [ "${1:-}" = fonts ]; then
  package[/usr/share/fonts/opentype/urw-base35/P052-Roman.otf]=fonts-urw-base35
  package[/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf]=fonts-roboto-unhinted
fi
missing=()
for program in "${!package[@]}"; do
  [ -e "$program" ] || command -v "$program" >/dev/null || missing+=("${package[$program]}")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "npm run test:e2e needs these Debian packages: ${missing[*]} (sudo apt-get install ${missing[*]})" >&2
  exit 1
fi
