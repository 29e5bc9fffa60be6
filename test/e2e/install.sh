#!/usr/bin/env bash
# Sees to it that the programs the end-to-end tests need are there: installs Debian's packages where it may,
# else fails and names what is missing.
set -euo pipefail

declare -A package=([chromium]=chromium [python3]=python3 [strace]=strace [xmllint]=libxml2-utils [nginx]=nginx [caddy]=caddy)
package[/usr/share/nginx/modules/ngx_http_brotli_static_module.so]=libnginx-mod-http-brotli-static
package[fcgiwrap]=fcgiwrap
package[ip]=iproute2
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
